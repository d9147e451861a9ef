#include "app/cli/cli.hpp"

int main(int argc, char** argv) { return app::run(argc, argv); }

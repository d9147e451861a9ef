// A library that a test puts where NVIDIA's would lie.
extern "C" int answer();
extern "C" int answer() { return 42; }

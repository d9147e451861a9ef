// Only in builds with AddressSanitizer: fontconfig keeps what it caches behind encoded offsets that
// a leak check cannot follow, and Cairo keeps those caches until the process ends.

// Asked for by LeakSanitizer's run time.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_options();

extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }
/// Messages of the program stay the only ones on stderr.
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }

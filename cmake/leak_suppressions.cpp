// Only in builds with AddressSanitizer: leaks of libraries that are not ours. fontconfig keeps what
// it caches behind encoded offsets that a leak check cannot follow, and Cairo keeps those caches
// until the process ends. The graphics stack below the window keeps its own.

// Asked for by LeakSanitizer's run time.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_options();

extern "C" const char* __lsan_default_suppressions() {
  return "leak:libfontconfig\n"
         "leak:_dri.so\n"
         "leak:libgallium\n"
         "leak:libLLVM\n"
         "leak:libGLX\n"
         "leak:libEGL\n"
         "leak:libglapi\n"
         "leak:libX11\n"
         "leak:libxcb\n"
         "leak:libglfw\n"
         "leak:libexpat\n"
         "leak:_dl_init\n";
}
/// Messages of the program stay the only ones on stderr.
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }

/// The leak check runs at the very end and knows a library by the address of its code: libraries
/// stay loaded until then, or the driver's leaks would come from nowhere.
extern "C" int dlclose(void*);
extern "C" int dlclose(void*) { return 0; }

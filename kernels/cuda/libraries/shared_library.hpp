// Libraries that are found at run time, because they are not on every machine.
#pragma once

#include <string>
#include <vector>

namespace kernels::cuda {

class SharedLibrary {
 public:
  /// Loads the first of `names` that there is in the folders that the user named, else that the
  /// loader knows or that lies where toolkits and wheels put it (library_folders.hpp). Never
  /// throws: is_open() says whether there was one. What others may write to is passed over: they
  /// could have it run anything.
  explicit SharedLibrary(const std::vector<std::string>& names);
  ~SharedLibrary();
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;

  bool is_open() const { return handle_ != nullptr; }
  /// The name it was found by.
  const std::string& name() const { return name_; }
  /// The path of the file that was loaded; empty without one.
  const std::string& file() const { return file_; }
  /// "; FILE was passed over: ..." after the sentence that there is none; empty where none was.
  const std::string& passed_over() const { return passed_over_; }

  /// A function of the library; nullptr where it has none of that name.
  template <class Function>
  Function function(const char* symbol) const {
    return reinterpret_cast<Function>(address(symbol));
  }
  /// Sets it to the function of that name; false where the library has none.
  template <class Function>
  bool find(const char* symbol, Function& found) const {
    found = function<Function>(symbol);
    return found != nullptr;
  }

 private:
  bool open(const std::string& path, const std::string& name);
  void* address(const char* symbol) const;

  void* handle_ = nullptr;
  std::string name_;
  std::string file_;
  std::string passed_over_;
};

}  // namespace kernels::cuda

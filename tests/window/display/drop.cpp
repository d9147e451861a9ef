// XDND, version 5 (https://freedesktop.org/wiki/Specifications/XDND): enter, position, drop, each a
// message to the window; what is dropped is a selection that the window asks for.
#include "tests/window/display/drop.hpp"

#include <X11/Xlib.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds patience{60};  // far beyond need: only a hang reaches it
constexpr long version = 5;

class Drag {
 public:
  Drag(const std::string& display, std::string list)
      : display_(XOpenDisplay(display.c_str())), list_(std::move(list)) {
    if (display_ == nullptr) throw std::runtime_error("no display " + display);
    own_ = XCreateSimpleWindow(display_.get(), root(), 0, 0, 1, 1, 0, 0, 0);
    XSetSelectionOwner(display_.get(), atom("XdndSelection"), own_, CurrentTime);
    target_ = find_target();
    if (target_ == None) throw std::runtime_error("no window takes what is dropped");
  }

  void drop() {
    send("XdndEnter", version << 24, static_cast<long>(atom("text/uri-list")), 0);
    send("XdndPosition", 0, place_on_screen(), CurrentTime, static_cast<long>(copy()));
    const XEvent status = wait_for("XdndStatus");
    if ((status.xclient.data.l[1] & 1) == 0) throw std::runtime_error("the window refuses them");
    send("XdndDrop", 0, CurrentTime, 0);
    wait_for("XdndFinished");
  }

 private:
  struct Close {
    void operator()(Display* display) const { XCloseDisplay(display); }
  };

  Window root() const { return DefaultRootWindow(display_.get()); }
  Atom atom(const char* name) const { return XInternAtom(display_.get(), name, False); }
  Atom copy() const { return atom("XdndActionCopy"); }

  bool takes_drops(Window window) const {
    int count = 0;
    Atom* names = XListProperties(display_.get(), window, &count);
    bool found = false;
    for (int i = 0; i < count; ++i) found = found || names[i] == atom("XdndAware");
    if (names != nullptr) XFree(names);
    return found;
  }

  Window find_target() const {
    Window above = None, parent = None, target = None;
    Window* windows = nullptr;
    unsigned count = 0;
    XQueryTree(display_.get(), root(), &above, &parent, &windows, &count);
    for (unsigned i = 0; i < count && target == None; ++i)
      if (takes_drops(windows[i])) target = windows[i];
    if (windows != nullptr) XFree(windows);
    return target;
  }

  /// A little inside of the window's corner: x and y in one word.
  long place_on_screen() const {
    int x = 0, y = 0;
    Window child = None;
    XTranslateCoordinates(display_.get(), target_, root(), 20, 20, &x, &y, &child);
    return static_cast<long>(x) << 16 | y;
  }

  void send(const char* message, long flags, long a, long b, long c = 0) {
    XEvent event{};
    event.xclient.type = ClientMessage;
    event.xclient.window = target_;
    event.xclient.message_type = atom(message);
    event.xclient.format = 32;
    const std::array<long, 5> data{static_cast<long>(own_), flags, a, b, c};
    std::ranges::copy(data, event.xclient.data.l);
    XSendEvent(display_.get(), target_, False, NoEventMask, &event);
    XFlush(display_.get());
  }

  /// The message; what is dropped is given meanwhile to whoever asks.
  XEvent wait_for(const char* message) {
    const auto end = Clock::now() + patience;
    for (;;) {
      while (XPending(display_.get()) > 0) {
        XEvent event;
        XNextEvent(display_.get(), &event);
        if (event.type == SelectionRequest) give(event.xselectionrequest);
        if (event.type == ClientMessage && event.xclient.message_type == atom(message))
          return event;
      }
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
      if (left.count() <= 0) throw std::runtime_error(std::string("waited in vain for ") + message);
      pollfd readable{ConnectionNumber(display_.get()), POLLIN, 0};
      poll(&readable, 1, static_cast<int>(left.count()));
    }
  }

  void give(const XSelectionRequestEvent& asked) {
    XChangeProperty(display_.get(), asked.requestor, asked.property, asked.target, 8,
                    PropModeReplace, reinterpret_cast<const unsigned char*>(list_.data()),
                    static_cast<int>(list_.size()));
    XEvent given{};
    given.xselection.type = SelectionNotify;
    given.xselection.requestor = asked.requestor;
    given.xselection.selection = asked.selection;
    given.xselection.target = asked.target;
    given.xselection.property = asked.property;
    given.xselection.time = asked.time;
    XSendEvent(display_.get(), asked.requestor, False, NoEventMask, &given);
    XFlush(display_.get());
  }

  std::unique_ptr<Display, Close> display_;
  std::string list_;  // as text/uri-list has it
  Window own_ = None, target_ = None;
};

}  // namespace

void drop(const std::string& display, const std::vector<std::filesystem::path>& files) {
  std::string list;
  for (const std::filesystem::path& file : files) list += "file://" + file.string() + "\r\n";
  Drag(display, std::move(list)).drop();
}

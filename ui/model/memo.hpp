// A value that is made again only when what it follows from has changed.
#pragma once

#include <optional>
#include <utility>

namespace ui {

template <class Key, class Value>
class Memo {
 public:
  /// The value of this key; `make` makes it unless it was the last one asked for.
  template <class Make>
  const Value& get(Key key, const Make& make) {
    if (key_ != key) {
      value_ = make();
      key_ = std::move(key);
    }
    return value_;
  }

 private:
  std::optional<Key> key_;
  Value value_{};
};

}  // namespace ui

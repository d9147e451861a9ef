// What programs use of fmt, compiled once and linked in, so that they run where libfmt is not
// installed. These templates are what fmt's own library holds, too; Fmt.cmake checks that nothing
// is missing.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template dragonbox::decimal_fp<float> dragonbox::to_decimal(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double) noexcept;
template thousands_sep_result<char> thousands_sep_impl<char>(locale_ref);
template char decimal_point_impl<char>(locale_ref);
template std::locale locale_ref::get<std::locale>() const;

}  // namespace detail
FMT_END_NAMESPACE

// The host side of a kernel library. HOST_KERNEL makes an entry of its list of kernels: the name, the identity, and what
// is needed to call the kernel.

#pragma once

#include <cstddef>
#include <utility>

struct HostKernel {
  const char *name;
  void (*run)(void **parameters);
  const std::size_t *sizes;
  std::size_t count;
  unsigned long long identity; // hash of the kernel's PTX
};

template <auto *kernel, typename... P> struct HostCall {
  static constexpr std::size_t sizes[sizeof...(P) + 1] = {sizeof(P)...};
  template <std::size_t... I> static void call(void **parameters, std::index_sequence<I...>) {
    kernel(*static_cast<P *>(parameters[I])...);
  }
  static void run(void **parameters) { call(parameters, std::index_sequence_for<P...>{}); }
};

template <auto *kernel, typename... P> constexpr HostKernel host_kernel(const char *name, unsigned long long identity, void (*)(P...)) {
  return {name, HostCall<kernel, P...>::run, HostCall<kernel, P...>::sizes, sizeof...(P), identity};
}

#define HOST_KERNEL(kernel, identity) host_kernel<kernel>(#kernel, identity, kernel),

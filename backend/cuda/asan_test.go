//go:build asan

package cuda

// addressSanitizer is whether the tests are built with the address sanitizer, which makes Go allocate in more places.
const addressSanitizer = true

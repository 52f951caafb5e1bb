//go:build asan

package cuda

// addressSanitizer says that the tests are built for the address sanitizer: then Go allocates where it does not
// otherwise.
const addressSanitizer = true

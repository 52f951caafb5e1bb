// Package notices holds the licences of the modules that trackgen consists of, on all platforms of a release.
package notices

import _ "embed"

// Text is what scripts/notices.sh has written: the modules with their versions, and then each licence and notice with
// the modules it belongs to.
//
//go:embed notices.txt
var Text string

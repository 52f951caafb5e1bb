package curriculum

import (
	"testing"

	"github.com/trackgen-go/trackgen/config/configtest"
)

// The comments of the struct match the table of fields, in the same order. Car and Labels have tables of their own.
func TestConfigCommentsMatchTheFields(t *testing.T) {
	configtest.CheckComments(t, fields, "config.go", "", "Car", "Labels")
}

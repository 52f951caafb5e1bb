package command

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen/internal/notices"
)

// versionReport is the output of version.
type versionReport struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // the commit, if the build recorded it
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func (a *app) versionCommand() *cobra.Command {
	var format string
	var licences bool
	command := &cobra.Command{
		Use:   "version",
		Short: "Print the version, or the licences of all parts",
		Long: `Version prints the version of trackgen, of Go, and the platform: on one line, or as JSON, which also has
the commit if the build recorded it: {"version", "revision", "go", "platform"}.

With --licences, it prints the modules of others that trackgen consists of on the
platforms of its releases, and their licences and notices.`,
		Example: `  trackgen version
  trackgen version --format json | jq -r .version
  trackgen version --licences | less`,
		Args: noArguments,
		RunE: a.run(func(context.Context, []string) error {
			if licences {
				_, err := io.WriteString(a.stdout, notices.Text)
				return err
			}
			chosen, err := parseFormat("--format", format, reportFormats...)
			if err != nil {
				return err
			}
			r := versionReport{Version: version(), Revision: commit(), Go: runtime.Version(),
				Platform: runtime.GOOS + "/" + runtime.GOARCH}
			if chosen == formatJSON {
				return writeJSON(a.stdout, r)
			}
			_, err = fmt.Fprintf(a.stdout, "trackgen %s %s %s\n", r.Version, r.Go, r.Platform)
			return err
		}),
	}
	formatFlag(command, &format, "text", reportFormats...)
	command.Flags().BoolVar(&licences, "licences", false, "print the licences of all parts")
	command.MarkFlagsMutuallyExclusive("licences", "format")
	return command
}

// modulePath is the module of this package, in Go's build information.
const modulePath = "github.com/trackgen-go/trackgen"

// The linker sets these in the programs of a release (.goreleaser.yaml): the version, such as v1.2.3, and the commit.
var released, revision string

// version returns the version of TrackGen: that of the release, or that in Go's build information.
func version() string {
	if released != "" {
		return released
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		return versionIn(info)
	}
	return "(devel)"
}

// versionIn returns the version of TrackGen in info. A program of another module has it among its dependencies.
func versionIn(info *debug.BuildInfo) string {
	module := &info.Main
	for _, dependency := range info.Deps {
		if dependency.Path == modulePath {
			module = dependency
		}
	}
	if module.Replace != nil {
		module = module.Replace
	}
	if module.Version == "" {
		return "(devel)"
	}
	return module.Version
}

// commit returns the commit of the release, or that in Go's build information, or "".
func commit() string {
	if revision != "" {
		return revision
	}
	return buildSetting("vcs.revision")
}

// buildSetting returns a value of Go's build information, such as vcs.revision, the commit, or "".
func buildSetting(key string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == key {
				return s.Value
			}
		}
	}
	return ""
}

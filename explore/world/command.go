package world

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/internal/settings"
)

// described is the JSON of the answer to "describe".
type described struct {
	Kind    string `json:"kind"` // described
	Command string `json:"command"`
	YAML    string `json:"yaml"` // empty for circuits, which have no configuration file
	Name    string `json:"name"` // of the file with the YAML
}

// Purposes of a command: Request.Format of the call "describe".
const (
	purposeDrive      = "drive"
	purposeStatistics = "statistics"
)

// describe answers the call "describe": the command that makes the same tracks, and the configuration as a file.
func (w *World) describe(_ context.Context, r Request, _ []byte, emit Emit) error {
	if err := r.check(MaxStatistics); err != nil {
		return err
	}
	answer := described{Kind: "described", Name: "trackgen.yaml"}
	var text bytes.Buffer
	var err error
	var config fmt.Stringer = &text
	head := func(course string) string {
		words := append([]string{"trackgen", "generate", "--config", answer.Name}, r.seedFlags()...)
		if course == CourseGates {
			words = append(words, "--course", "gates")
		}
		return "# " + strings.Join(append(words, "--out", course+".npz"), " ") + "\n"
	}
	switch r.Course {
	case CourseTracks:
		c, wrong := configure(settings.Tracks, r.Settings, r.Mix, trackgen.Config.Validate)
		c.NumEnvs = r.envs()
		if err = wrong; err == nil {
			text.WriteString(head(r.Course))
			err = settings.Tracks.Write(&text, c)
		}
	case CourseGates:
		c, wrong := configure(settings.Gates, r.Settings, r.Mix, trackgen.GateConfig.Validate)
		c.NumEnvs = r.envs()
		if err = wrong; err == nil {
			text.WriteString(head(r.Course))
			err = settings.Gates.Write(&text, c)
		}
	case CourseCircuit:
		_, err = configure(circuitLanguage, r.Settings, nil, circuitConfig.validate)
	default:
		err = refuse("course", r.Course, "tracks, gates or circuit")
	}
	if err != nil {
		return err
	}
	answer.YAML = config.String()
	if answer.Command, err = r.command(); err != nil {
		return err
	}
	return emit(Frame{Head: answer})
}

// command returns the lines for a shell that make the courses of the request, and drive or measure them.
func (r Request) command() (string, error) {
	out := r.Course + ".npz"
	line := ""
	if r.Course == CourseCircuit {
		var err error
		if line, err = r.importCommand(out); err != nil {
			return "", err
		}
	} else {
		line = r.generateCommand(out)
	}
	switch r.Format {
	case purposeStatistics:
		return line + "\n" + join("trackgen", "stats", out, "--plot", "stats.png"), nil
	case purposeDrive:
		words, err := r.driveWords(out)
		return line + "\n" + join(words...), err
	}
	return line, nil
}

// seedFlags returns the flags of the seeds and the epoch.
func (r Request) seedFlags() (words []string) {
	switch {
	case r.Seeds != nil:
		words = append(words, "--seeds-file", "seeds.txt")
	case r.Seed != 0:
		words = append(words, "--seed", strconv.FormatInt(r.Seed, 10))
	}
	if r.Epoch != 0 {
		words = append(words, "--epoch", strconv.FormatInt(r.Epoch, 10))
	}
	return words
}

// generateCommand returns the lines that generate the courses.
func (r Request) generateCommand(out string) string {
	words := []string{"trackgen", "generate"}
	if r.Course == CourseGates {
		words = append(words, "--course", "gates")
	}
	before, after := "", ""
	if r.Seeds != nil {
		numbers := make([]string, len(r.Seeds))
		for i, seed := range r.Seeds {
			numbers[i] = strconv.FormatInt(seed, 10)
		}
		before = "echo " + strings.Join(numbers, " ") + " > seeds.txt\n"
	} else {
		words = append(words, "--envs", strconv.Itoa(r.Envs))
	}
	words = append(words, r.seedFlags()...)
	switch {
	case r.mixNeedsFile():
		words = append(words, "--config", "-")
		after = " <<'END'\n" + r.mixFile() + "END"
	case len(r.Mix) > 0:
		var parts []string
		for _, component := range r.Mix {
			parts = append(parts, component.Generator+"="+number(component.Weight))
		}
		words = append(words, "--mix", strings.Join(parts, ","))
	}
	if generator := r.Settings[generatorField]; generator != "" && len(r.Mix) == 0 {
		words = append(words, "--generator", generator)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Settings)) {
		if name != generatorField {
			words = append(words, "--set", name+"="+r.Settings[name])
		}
	}
	return before + join(append(words, "--out", out)...) + after
}

// mixNeedsFile reports whether the components of the mixture have settings of their own, or share a generator: flags
// cannot say that.
func (r Request) mixNeedsFile() bool {
	known := make(map[string]bool)
	for _, component := range r.Mix {
		if len(component.Settings) > 0 || known[component.Generator] {
			return true
		}
		known[component.Generator] = true
	}
	return false
}

// mixFile returns the mixture as YAML.
func (r Request) mixFile() string {
	var text strings.Builder
	text.WriteString("mix:\n")
	for _, component := range r.Mix {
		fmt.Fprintf(&text, "  - generator: %s\n    weight: %s\n", component.Generator, number(component.Weight))
		for _, name := range slices.Sorted(maps.Keys(component.Settings)) {
			fmt.Fprintf(&text, "    %s: %s\n", name, component.Settings[name])
		}
	}
	return text.String()
}

// importCommand returns the line that imports the file of circuits. The flags of import take numbers without a unit.
func (r Request) importCommand(out string) (string, error) {
	words := []string{"trackgen", "import", "./" + fileName(r.File)}
	c, err := configure(circuitLanguage, r.Settings, nil, circuitConfig.validate)
	if err != nil {
		return "", err
	}
	for _, field := range circuitTable.Fields() {
		flag := "--" + strings.ReplaceAll(field.Name, "_", "-")
		if field.Name == "start_along" {
			flag = "--start"
		}
		switch v := field.Value(c).(type) {
		case bool:
			if v {
				words = append(words, flag)
			}
		case float64:
			if v != 0 {
				words = append(words, flag, number(v))
			}
		}
	}
	return join(append(words, "--out", out)...), nil
}

// driveWords returns the words of the command that drives on the courses.
func (r Request) driveWords(file string) ([]string, error) {
	c, err := r.raceConfig(r.Course == CourseGates)
	if err != nil {
		return nil, err
	}
	room := 0.0
	switch r.Course {
	case CourseTracks:
		tracks, err := configure(settings.Tracks, r.Settings, r.Mix, trackgen.Config.Validate)
		if err != nil {
			return nil, err
		}
		room = tracks.Road.HalfWidth
	case CourseGates:
		gates, err := configure(settings.Gates, r.Settings, r.Mix, trackgen.GateConfig.Validate)
		if err != nil {
			return nil, err
		}
		room = gates.Gate.Width / 2
	}
	scale, err := r.scaleFor(c, room)
	if err != nil {
		return nil, err
	}
	words := []string{"trackgen", "drive", file, "--scale", number(scale)}
	for _, flag := range []struct {
		name, value string
		given       bool
	}{
		{"--seed", strconv.FormatInt(r.Seed, 10), r.Seed != 0},
		{"--vehicle", r.Drive.Vehicle, r.Drive.Vehicle != ""},
		{"--line", r.Drive.Line, r.Drive.Line == trackgen.RacingLine},
		{"--brave", number(r.Drive.Brave), r.Drive.Brave != 0 && r.Drive.Brave != 1},
		{"--laps", strconv.Itoa(r.Drive.Laps), r.Drive.Laps > 1},
	} {
		if flag.given {
			words = append(words, flag.name, flag.value)
		}
	}
	words = append(words, "--race-set", "ends.max_time="+number(c.Reward.Ends.MaxTime))
	for _, name := range slices.Sorted(maps.Keys(r.Drive.Settings)) {
		words = append(words, "--race-set", name+"="+r.Drive.Settings[name])
	}
	return append(words, "--plot", "driven.png"), nil
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// plainWord matches words that a shell leaves as they are.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=,@%+-]+$`)

// join returns words as a line for a POSIX shell.
func join(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		if quoted[i] = word; !plainWord.MatchString(word) {
			quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

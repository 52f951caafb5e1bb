package command

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen/internal/suggest"
)

// selection is a set of envs, as ascending spans with gaps between them.
type selection []span

// span holds the envs from first to last, inclusive.
type span struct{ first, last int }

// envFlag adds the flag that selects tracks of a file. In all commands, --envs and -n are the number of tracks to make.
func envFlag(command *cobra.Command, value *string, do string) {
	command.Flags().StringVarP(value, "env", "e", "",
		"`list` of tracks to "+do+", such as 7 or 0-9,40,100-, or names such as Spa (default all)")
}

// chosenEnvs returns the envs of --env, all of them if it is empty. names are the names of the envs, or nil.
func chosenEnvs(flag string, envs int, names []string) (selection, error) {
	if flag == "" {
		return selection{{0, envs - 1}}, nil
	}
	chosen, err := parseSelection(flag, envs, names)
	if err != nil {
		return nil, badInputf("--env: %w", err)
	}
	return chosen, nil
}

// parseSelection parses a selection of the envs 0 to envs-1, such as "0-9,40,100-" or "Spa,Monza". "100-" means env 100
// and all later ones. A name selects all tracks that have it; names is nil for a file without names. A part of
// digits and hyphens is a number or a span, never a name.
func parseSelection(text string, envs int, names []string) (selection, error) {
	if list := called(names, text); list != nil { // a name may have commas
		return list, nil
	}
	var list selection
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if named := called(names, part); named != nil {
			list = append(list, named...)
			continue
		}
		if names != nil && !isNumeric(part) {
			return nil, notName(part, names)
		}
		s, err := parseSpan(part, envs)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b span) int { return a.first - b.first })
	merged := list[:1]
	for _, s := range list[1:] {
		if before := &merged[len(merged)-1]; s.first <= before.last+1 {
			before.last = max(before.last, s.last)
		} else {
			merged = append(merged, s)
		}
	}
	return merged, nil
}

// isNumeric reports whether a part of a selection can only be a number or a span.
func isNumeric(text string) bool { return strings.Trim(text, "0123456789-") == "" }

// called returns the tracks with a name, or nil if there are none. Upper and lower case are different only if a file
// has tracks of both.
func called(names []string, name string) (list selection) {
	if isNumeric(name) {
		return nil
	}
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for e, other := range names {
			if same(other, name) {
				list = append(list, span{e, e})
			}
		}
		if list != nil {
			return list
		}
	}
	return nil
}

// notName returns the error for a name that no track has.
func notName(name string, names []string) error {
	const most = 8
	var different []string
	for _, other := range names {
		if other != "" && !slices.Contains(different, other) {
			different = append(different, other)
		}
		if len(different) > most {
			break
		}
	}
	list := strings.Join(different[:min(len(different), most)], ", ")
	if len(different) > most {
		list += ", ..."
	}
	return fmt.Errorf("no track is called %q: must be a name (%s), or a list such as 7 or 0-9,40,100-%s", name, list,
		suggest.Phrase(name, names))
}

// parseSpan parses a number or a span.
func parseSpan(text string, envs int) (span, error) {
	from, to, isSpan := strings.Cut(text, "-")
	s := span{last: envs - 1}
	var err error
	if from == "" {
		return s, notEnv(text)
	}
	if s.first, err = parseEnv(from, envs); err != nil {
		return s, err
	}
	switch {
	case !isSpan:
		s.last = s.first
	case to != "":
		if s.last, err = parseEnv(to, envs); err != nil {
			return s, err
		}
	}
	if s.last < s.first {
		return s, fmt.Errorf("%q runs backwards: must be like 0-9", text)
	}
	return s, nil
}

func parseEnv(text string, envs int) (int, error) {
	env, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, notEnv(text)
	}
	if int(env) >= envs {
		return 0, fmt.Errorf("there is no env %d: must be 0 to %d", env, envs-1)
	}
	return int(env), nil
}

func notEnv(text string) error {
	return fmt.Errorf("%q is no env: must be a list such as 7 or 0-9,40,100-", text)
}

func (l selection) contains(env int) bool {
	i := sort.Search(len(l), func(i int) bool { return l[i].last >= env })
	return i < len(l) && l[i].first <= env
}

// last returns the largest env of the selection, which must not be empty.
func (l selection) last() int { return l[len(l)-1].last }

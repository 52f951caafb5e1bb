package dataset

import (
	"fmt"
	"strconv"
	"strings"
)

// Part chooses the shards of one of several processes: those whose number, divided by Count, leaves Index. The zero
// value is all shards.
type Part struct{ Index, Count int }

// ParsePart reads a part such as "3/8": part 3 of the parts 0 to 7.
func ParsePart(text string) (Part, error) {
	allowed := &PlanError{"shard", strconv.Quote(text), "i/n with i from 0 to n-1, such as 0/8"}
	index, count, found := strings.Cut(text, "/")
	if !found {
		return Part{}, allowed
	}
	i, err := strconv.ParseUint(index, 10, 31)
	if err != nil {
		return Part{}, allowed
	}
	n, err := strconv.ParseUint(count, 10, 31)
	if err != nil || i >= n {
		return Part{}, allowed
	}
	return Part{int(i), int(n)}, nil
}

// String returns the part as ParsePart reads it.
func (p Part) String() string { return fmt.Sprintf("%d/%d", p.Index, max(p.Count, 1)) }

func (p Part) validate() error {
	if p.Count < 0 || p.Index < 0 || p.Index >= max(p.Count, 1) {
		return &PlanError{"shard", p.String(), "i/n with i from 0 to n-1, such as 0/8"}
	}
	return nil
}

// shards returns the numbers of the part's shards, in ascending order.
func (p Part) shards(all int) []int {
	var list []int
	for i := p.Index; i < all; i += max(p.Count, 1) {
		list = append(list, i)
	}
	return list
}

// environment is where a scheduler says which of several processes this one is.
type environment struct {
	scheduler    string
	index, count string // names of the variables
	first        string // of the variable with the first index; "" if it is 0
}

// The schedulers, by the variables that they set. Kubernetes tells a pod its index alone, so that its job must pass the
// number of completions.
var schedulers = []environment{
	{scheduler: "Kubernetes Indexed Job", index: "JOB_COMPLETION_INDEX", count: "JOB_COMPLETIONS"},
	{scheduler: "Slurm array", index: "SLURM_ARRAY_TASK_ID", count: "SLURM_ARRAY_TASK_COUNT",
		first: "SLURM_ARRAY_TASK_MIN"},
	{scheduler: "torchrun", index: "RANK", count: "WORLD_SIZE"},
}

// PartOf returns the part that a scheduler gives this process in its environment, and the scheduler's name, which is
// empty if there is none: an Indexed Job of Kubernetes, an array of Slurm, or torchrun. lookup is os.LookupEnv. It
// returns an error that names the variable if one is missing or wrong.
func PartOf(lookup func(name string) (string, bool)) (p Part, scheduler string, err error) {
	for _, e := range schedulers {
		if text, _ := lookup(e.index); text == "" {
			continue
		}
		p, err = e.part(lookup)
		return p, e.scheduler, err
	}
	return Part{}, "", nil
}

func (e environment) part(lookup func(string) (string, bool)) (p Part, err error) {
	if p.Index, err = e.number(lookup, e.index); err != nil {
		return p, err
	}
	if p.Count, err = e.number(lookup, e.count); err != nil {
		return p, err
	}
	if e.first != "" {
		first, err := e.number(lookup, e.first)
		if err != nil {
			return p, err
		}
		p.Index -= first
	}
	if p.Count < 1 || p.Index < 0 || p.Index >= p.Count {
		return p, &PlanError{e.index, fmt.Sprint(p.Index), fmt.Sprintf(
			"less than the number of processes, which %s says is %d (or give the shards with i/n)", e.count, p.Count)}
	}
	return p, nil
}

func (e environment) number(lookup func(string) (string, bool), name string) (int, error) {
	text, _ := lookup(name)
	if text == "" {
		return 0, &PlanError{name, "not set", fmt.Sprintf("a whole number, because %s is set (%s)", e.index, e.scheduler)}
	}
	value, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, &PlanError{name, strconv.Quote(text), "a whole number"}
	}
	return int(value), nil
}

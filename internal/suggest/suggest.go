// Package suggest finds the word that a user most likely intended.
package suggest

import "strings"

// longest is the maximum length in bytes of a word with suggestions. A longer word is unlikely to be a misspelt name.
const longest = 64

// Nearest returns the candidate closest to word by edit distance, ignoring case, or "" if none is close. Of candidates
// at equal distance it returns the first.
func Nearest(word string, candidates []string) string {
	if len(word) > longest {
		return ""
	}
	word = strings.ToLower(word)
	nearest, least := "", max(1, len(word)/3)+1
	for _, candidate := range candidates {
		if d := distance(word, strings.ToLower(candidate)); d < least {
			nearest, least = candidate, d
		}
	}
	return nearest
}

// Phrase returns a phrase such as `; did you mean "half_width"?` with the nearest candidate, or "" if there is none.
func Phrase(word string, candidates []string) string {
	nearest := Nearest(word, candidates)
	if nearest == "" {
		return ""
	}
	return `; did you mean "` + nearest + `"?`
}

// distance returns the optimal string alignment distance: the number of insertions, deletions, substitutions and
// transpositions of adjacent bytes.
func distance(a, b string) int {
	previous, current, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range current {
		current[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(current[j]+1, next[j-1]+1, current[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], previous[j-2]+1)
			}
		}
		previous, current, next = current, next, previous
	}
	return current[len(b)]
}

package world

import "errors"

// End is the JSON of the last frame of an answer that could not be completed.
type End struct {
	Kind     string    `json:"kind"` // refused: the request is wrong; failed: it is not
	Message  string    `json:"message"`
	Problems []Problem `json:"problems,omitempty"` // of a request that is refused
}

// EndOf returns the last frame for an error of Call.
func EndOf(err error) End {
	var refused *Refused
	if errors.As(err, &refused) {
		return End{Kind: "refused", Message: err.Error(), Problems: refused.Problems}
	}
	return End{Kind: "failed", Message: err.Error()}
}

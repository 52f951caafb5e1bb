// Package world answers what the page of the explorer asks: which settings there are, the tracks of a configuration,
// their statistics, real circuits, cars that drive, files, and the command that makes the same tracks.
//
// A World has one method, Call, which takes the name of a question, a Request and the bytes of a file, and answers with
// frames: a JSON object each, and the bytes of arrays. The page uses nothing else, so that whatever passes calls and
// frames on can stand between the two: package explore does it with HTTP.
//
// Every request is hostile: its numbers are bounded before a device works for it, and what is refused is named with the
// field, the value and what is allowed (Problem). Work stops between two chunks of tracks when the context of a call
// ends.
package world

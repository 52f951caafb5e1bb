// Package explore serves a page on which a person turns every setting and sees the tracks change:
//
//	listener, err := explore.Listen("127.0.0.1:0")
//	...
//	server := explore.New(device, explore.Options{})
//	fmt.Println(server.Link(listener))
//	err = server.Serve(ctx, listener) // until ctx ends
//
// The page and everything it needs is in the binary. It asks package world by HTTP: a request is one POST with a frame,
// and its answer is a stream of frames in the body of the response. A stream of one response needs no protocol of its
// own, passes bytes on as they are, waits while the page is slow, and ends with the connection: when the page gives a
// request up, the context of the request ends, and with it the generation. A WebSocket would need a library and
// messages that cancel, and server-sent events are text.
//
// Only pages of this server may ask. It listens on the loopback interface unless another address is asked for. Each
// request needs the random token of the link; its Host must be an address of the server and not a name, so that no name
// of another site can be pointed at it; and its Origin must be the page itself.
package explore

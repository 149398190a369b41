package broker

import (
	"context"
	"fmt"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
)

// A server of Kafka writes down each connection that it accepts, if its acceptor logs
// at DEBUG. The nodes talk to each other on a listener of their own, so that whoever
// is accepted on the ports for clients is a client.

// accepted is how kafka.network.Acceptor tells of a connection.
var accepted = regexp.MustCompile(`Accepted connection from /(\S+) on /(\S+) and assigned`)

// Peers lists the remote address of every connection that any node accepted on its
// ports for clients so far, those of earlier processes of a node included. What a node
// accepted in the instant in which it was killed may be missing, and so is what waits
// for a node that stands still.
//
// It is an error after ctx if a node tells of no connection: the logger of KAFKA_HOME
// is not set up for it.
func (k *Kafka) Peers(ctx context.Context) ([]string, error) {
	peers, err := k.peers(ctx)
	if err != nil {
		return nil, fmt.Errorf("look who connected to Apache Kafka: %w", err)
	}
	return peers, nil
}

// Strangers lists the peers that are not in known, as Embedded.Strangers does. On a
// cluster that trials share, known has to have the connections of them all.
func (k *Kafka) Strangers(ctx context.Context, known map[string]bool) ([]string, error) {
	peers, err := k.Peers(ctx)
	if err != nil {
		return nil, err
	}
	own := k.own.all()
	return slices.DeleteFunc(peers, func(peer string) bool { return known[peer] || slices.Contains(own, peer) }), nil
}

func (k *Kafka) peers(ctx context.Context) ([]string, error) {
	if err := k.awaitLogs(ctx); err != nil {
		return nil, err
	}
	var peers []string
	for _, n := range k.nodes {
		clients, err := n.accepted()
		if err != nil {
			return nil, fmt.Errorf("node %d: %w", n.id, err)
		}
		peers = append(peers, clients...)
	}
	return peers, nil
}

// awaitLogs waits until the log of every node that moves tells of a connection made
// now. One thread accepts whoever comes to a port, in turn, so that the log tells of
// all who came to it before.
func (k *Kafka) awaitLogs(ctx context.Context) error {
	v, err := k.views()
	if err != nil {
		return err
	}
	defer v.close()
	for id, view := range v {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", view.addr)
		if err != nil {
			return fmt.Errorf("node %d: %w", id, err)
		}
		own := conn.LocalAddr().String()
		k.own.add(own)
		err = k.wait(ctx, fmt.Sprintf("the log of node %d tells of a connection from %s", id, own), func(context.Context) error {
			return k.nodes[id].hasAccepted(own)
		})
		_ = conn.Close() // nothing was sent
		if err != nil {
			return err
		}
	}
	return nil
}

func (n *node) hasAccepted(peer string) error {
	all, err := n.accepted()
	if err == nil && !slices.Contains(all, peer) {
		err = fmt.Errorf("it tells of %d others", len(all))
	}
	return err
}

// accepted is who connected to the ports for clients, as the log says.
func (n *node) accepted() ([]string, error) {
	log, err := os.ReadFile(n.log())
	if err != nil {
		return nil, err
	}
	var peers []string
	for line := range strings.Lines(string(log)) {
		if m := accepted.FindStringSubmatch(line); m != nil && m[2] != n.inter.addr() && m[2] != n.controller.addr() {
			peers = append(peers, m[1])
		}
	}
	return peers, nil
}

//go:build !franz_before_1_22

package franz

import "github.com/twmb/franz-go/pkg/kgo"

// serverSide is group.protocol: KIP-848, where the broker assigns.
var serverSide = when("consumer", kgo.ServerSideBalancer)

// Package cost says what processes cost: their processor time and their memory, as the
// system counts them, and which machine it was.
package cost

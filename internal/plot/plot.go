// Package plot writes SVG charts that are the same, byte for byte, whenever the figures are.
package plot

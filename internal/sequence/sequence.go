// Package sequence cuts scenes out of a trace and draws them: as Mermaid text, and as SVG.
//
//	trace ─> Cut ─> scene ─> picture ─> Mermaid
//	                                 └> SVG
package sequence

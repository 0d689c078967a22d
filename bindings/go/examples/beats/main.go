// Command beats finds the beats in a noisy signal: slices, filters, masks and sorting, and files of arrays.
//
// usage: beats [BEATS.npz]
package main

import (
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	. "thaten"
)

const rate, count, period, width = 100, 2000, 80, 21

// signal is a slow wave with noise, and the shape of a beat at every period, and that shape.
func signal() (noisy, beat *Tensor) {
	time := Must(Must(Linspace(Int(0), Float(count/float64(rate)), LinspaceOptions{Steps: Int(count)})).MulScalar(Float(0.4 * math.Pi)))
	noise := Must(Must(Randn([]int64{count})).MulScalar(Float(0.1)))
	noisy = Must(Must(time.Sin()).Add(noise))
	x := Must(Linspace(Int(-3), Int(3), LinspaceOptions{Steps: Int(width)}))
	beat = Must(Must(Must(x.Mul(x)).Neg()).Exp())
	for start := int64(30); start < count-width; start += period {
		part := Must(noisy.At(Between(start, start+width))) // a view: what changes it changes the signal
		Must(part.Add_(beat, AddOptions{Alpha: Int(2)}))
	}
	return noisy, beat
}

// filtered is x weighted by the kernel around each sample.
func filtered(x, kernel *Tensor) *Tensor {
	half := kernel.Numel() / 2
	padded := Must(Must(x.View([]int64{1, 1, -1})).Pad([]int64{half, kernel.Numel() - 1 - half}, PadOptions{Mode: "reflect"}))
	return Must(Must(padded.Conv1d(Must(kernel.View([]int64{1, 1, -1})))).View([]int64{-1}))
}

// peaks are the samples whose score is the highest of 41 around them, and high.
func peaks(score *Tensor) *Tensor {
	pooled, _ := Must2(Must(score.View([]int64{1, 1, -1})).MaxPool1d([]int64{41}, MaxPool1dOptions{Stride: []int64{1}, Padding: []int64{20}}))
	isHighest := Must(score.Eq(Must(pooled.View([]int64{-1}))))
	return Must(Must(Must(isHighest.LogicalAnd(Must(score.GtScalar(Float(0.8))))).Nonzero()).SqueezeDim(1))
}

func main() {
	log.SetFlags(0)
	path := filepath.Join(os.TempDir(), fmt.Sprintf("beats-%d.npz", os.Getpid()))
	if len(os.Args) > 1 {
		path = os.Args[1]
	} else {
		defer os.Remove(path)
	}
	err := Try(func() {
		ManualSeed(3)
		noisy, beat := signal()
		wave := filtered(noisy, Must(Full([]int64{rate}, Float(1.0/rate))))
		energy := Must(Must(beat.Mul(beat)).Sum())
		score := filtered(Must(noisy.Sub(wave)), Must(beat.Div(energy)))
		found := peaks(score)
		gaps := Must(Must(found.At(From(1))).Sub(Must(found.At(To(-1)))))
		fmt.Printf("%d beats, %v samples apart\n", found.Numel(), Must(Item[float64](Must(gaps.Median()))))

		// The highest first, and the signal around each of them, a row each.
		values, order := Must2(Must(score.At(found)).Sort(SortOptions{Descending: True}))
		peaks := Must(found.At(order))
		around := Must(Must(peaks.Unsqueeze(1)).Add(Must(Arange(Int(width)))))
		windows := Must(noisy.At(Must(around.SubScalar(Int(width / 2)))))
		fmt.Println("the highest has", Must(values.At(0)), "and the mean", Must(windows.MeanDim([]int64{0})))

		Check(Save(path, map[string]*Tensor{"windows": windows, "peaks": peaks}))
		stored, err := Load(path)
		Check(err)
		if !Must(stored["windows"].Equal(windows)) || stored["peaks"].Type() != Long || found.Numel() != 25 {
			log.Fatal("other beats than there are")
		}
	})
	if err != nil {
		log.Fatal(err)
	}
}

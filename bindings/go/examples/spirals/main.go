// Command spirals tells three spirals apart: batches, a schedule, a network in a .safetensors file.
//
// usage: spirals [NETWORK.safetensors]
package main

import (
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	. "thaten"
)

const classes, points = 3, 150

// spirals makes points on an arm for each class, and the class of each point.
func spirals() (x, y *Tensor) {
	noise := Must(ToSlice[float32](Must(Randn([]int64{classes * points}))))
	var xs []float32
	var ys []int64
	for i := range noise {
		class, radius := i/points, 0.05+0.95*float64(i%points)/points
		angle := 4*radius + 2*math.Pi*float64(class)/classes + 0.15*float64(noise[i])
		xs = append(xs, float32(radius*math.Cos(angle)), float32(radius*math.Sin(angle)))
		ys = append(ys, int64(class))
	}
	return Must(FromSlice(xs, classes*points, 2)), Must(FromSlice(ys, classes*points))
}

func network() *Module {
	return Must(NewSequential(Must(NewLinear(2, 64)), Must(NewReLU()), Must(NewLinear(64, 64)), Must(NewReLU()),
		Must(NewLinear(64, classes))))
}

// accuracy is the part of points whose highest score is that of their class.
func accuracy(net *Module, x, y *Tensor) float64 {
	best := Must(Must(net.Forward(x)).Argmax(ArgmaxOptions{Dim: Int(1)}))
	return Must(Item[float64](Must(Must(Must(best.Eq(y)).To(Float32)).Mean())))
}

func train(net *Module, x, y *Tensor) {
	adam := Must(NewAdam(Must(net.Parameters()), AdamOptions{Lr: Float(0.01)}))
	schedule := Must(NewCosineLr(adam, 40))
	loader := Must(NewLoader(Must(NewDataset(x, y)), LoaderOptions{BatchSize: 50, Shuffle: true}))
	for epoch := 1; epoch <= 40; epoch++ {
		total := 0.0
		for loader.Next() {
			batch := loader.Batch()
			Check(adam.ZeroGrad())
			loss := Must(Must(net.Forward(batch[0])).CrossEntropyLoss(batch[1]))
			Check(loss.Backward())
			Must(ClipGradNorm(Must(net.Parameters()), 1))
			Check(adam.Step())
			total += Must(Item[float64](loss))
		}
		Check(loader.Err())
		Check(schedule.Step())
		if epoch%10 == 0 {
			fmt.Printf("epoch %2d  loss %.4f  rate %.5f\n", epoch, total/9, Must(adam.Get(0, "lr")))
		}
	}
}

func main() {
	log.SetFlags(0)
	path := filepath.Join(os.TempDir(), fmt.Sprintf("spirals-%d.safetensors", os.Getpid()))
	if len(os.Args) > 1 {
		path = os.Args[1]
	} else {
		defer os.Remove(path)
	}
	err := Try(func() {
		ManualSeed(7)
		x, y := spirals()
		net := network()
		train(net, x, y)
		right := accuracy(net, x, y)
		fmt.Printf("%.1f %% of the points are right\n", 100*right)

		Check(Save(path, Must(net.StateDict())))
		again := network()
		Check(again.Load(path))
		if same := accuracy(again, x, y); same != right || right < 0.9 {
			log.Fatal("the network from the file: ", same)
		}
	})
	if err != nil {
		log.Fatal(err)
	}
}

// Plays the files in the working directory through the player with nothing around it: no Python, no
// VPI. What `make bench` compares the other benches with.

#include "Vtop.h"
#include "verilated.h"

int main(int argc, char** argv) {
    VerilatedContext context;
    context.commandArgs(argc, argv);
    Vtop top{&context};
    top.go = 1;
    top.keep = 0;
    top.watch = 0;
    top.waves = 0;
    while (!top.done) {
        top.eval();
        if (!top.eventsPending()) return 1;
        context.time(top.nextTimeSlot());
    }
    top.final();
    return 0;
}

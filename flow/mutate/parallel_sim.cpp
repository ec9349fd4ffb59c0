// parallel_sim: plays a trace through a netlist of gates with 256 mutants at once, one in each bit of a
// word, and says for each mutant the first cycle in which an output is another one than it should be.
//
//   parallel_sim GATES TRACE FROM TO
//
// Mutants FROM to TO - 1 are played; number 0, the unchanged design, is in bit 0 of every word.
// Both files are of 32-bit words in the byte order of the machine; flow/mutate/play.py writes them.
//   GATES   nets, moving runs from, number of runs, gates, flip-flops, then
//           runs {kind, first, end}, gates {a, b, c, out}, flip-flops {d, q}, the seven lists of nets
//           {length, nets} of: mutant, levels, command, fill, outputs, response, banks
//   TRACE   number of cycles, commands, fills, responses, then cycles {levels, command, fill, checked,
//           outputs, response}, and tables of bits, a byte each, 0 and 1, in the order of the
//           nets: commands, fills, responses, banks of each cycle; 2 is a bit that is not checked
// A line for each mutant: number, cycle, bit of {outputs, response}, cycle, bit of banks; -1 for none.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int kBits = 256;
typedef uint64_t Word __attribute__((vector_size(kBits / 8)));
typedef std::vector<int32_t> Nets;

struct Run { int32_t kind, first, end; };
struct Gate { int32_t a, b, c, out; };
struct Flipflop { int32_t d, q; };
struct Cycle { uint32_t levels, command, fill, checked, outputs, response; };
struct Found { long cycle = -1, bit = -1, bank_cycle = -1, bank_bit = -1; };

constexpr uint32_t kNothing = 0xFFFFFFFF;
// Most mutants die soon. The others of many words are gathered in few, and begin again.
constexpr size_t kRounds[] = {400, 3000, SIZE_MAX};

struct File {
    FILE* file;
    explicit File(const char* path) : file(fopen(path, "rb")) {
        if (!file) { perror(path); exit(1); }
    }
    ~File() { fclose(file); }
    void read(void* to, size_t bytes) {
        if (bytes && fread(to, bytes, 1, file) != 1) { fputs("a file is too short\n", stderr); exit(1); }
    }
    uint32_t word() { uint32_t value; read(&value, 4); return value; }
    template <typename T> std::vector<T> list(size_t count) {
        std::vector<T> values(count);
        read(values.data(), count * sizeof(T));
        return values;
    }
};

struct Design {
    size_t nets, moving;
    std::vector<Run> runs;
    std::vector<Gate> gates;
    std::vector<Flipflop> flipflops;
    Nets mutant, levels, command, fill, outputs, response, banks;

    explicit Design(File file) {
        nets = file.word();
        moving = file.word();
        const size_t run_count = file.word(), gate_count = file.word(), flipflop_count = file.word();
        runs = file.list<Run>(run_count);
        gates = file.list<Gate>(gate_count);
        flipflops = file.list<Flipflop>(flipflop_count);
        for (Nets* each : {&mutant, &levels, &command, &fill, &outputs, &response, &banks})
            *each = file.list<int32_t>(file.word());
    }
};

struct Trace {
    std::vector<Cycle> cycles;
    std::vector<uint8_t> commands, fills, responses, banks;

    Trace(File file, const Design& design) {
        const size_t count = file.word(), command = file.word(), fill = file.word(), response = file.word();
        cycles = file.list<Cycle>(count);
        commands = file.list<uint8_t>(command * design.command.size());
        fills = file.list<uint8_t>(fill * design.fill.size());
        responses = file.list<uint8_t>(response * design.response.size());
        banks = file.list<uint8_t>(count * design.banks.size());
    }
};

const Word kZeros = {};
const Word kOnes = ~kZeros;

bool any(const Word& word) { return (word[0] | word[1] | word[2] | word[3]) != 0; }
bool bit_of(const Word& word, size_t bit) { return word[bit / 64] >> bit % 64 & 1; }

class Player {
public:
    Player(const Design& design, const Trace& trace) : design_(design), trace_(trace), net_(design.nets) {}

    // Plays `limit` cycles with these mutants, at most one less than a word has bits.
    void play(const std::vector<uint32_t>& mutants, size_t limit, std::vector<Found>& found) {
        start(mutants);
        const size_t count = limit < trace_.cycles.size() ? limit : trace_.cycles.size();
        for (size_t cycle = 0; cycle < count && any(alive_); ++cycle) {
            drive(trace_.cycles[cycle]);
            evaluate(design_.moving, design_.runs.size());
            if (trace_.cycles[cycle].checked) check(cycle, mutants, found);
            clock();
        }
    }

private:
    const Design& design_;
    const Trace& trace_;
    std::vector<Word> net_, next_;
    Word alive_, bank_alive_;

    void start(const std::vector<uint32_t>& mutants) {
        net_.assign(design_.nets, kZeros);
        net_[1] = kOnes;
        next_.resize(design_.flipflops.size());
        alive_ = kZeros;
        for (size_t at = 0; at <= mutants.size(); ++at) {
            const uint32_t number = at ? mutants[at - 1] : 0;
            alive_[at / 64] |= uint64_t{1} << at % 64;
            for (size_t bit = 0; bit < design_.mutant.size(); ++bit)
                if (number >> bit & 1) net_[design_.mutant[bit]][at / 64] |= uint64_t{1} << at % 64;
        }
        bank_alive_ = alive_;
        evaluate(0, design_.moving);
    }

    void set(const Nets& nets, const std::vector<uint8_t>& table, uint32_t number) {
        // A payload that is not valid is all ones, as on the bench where there is no X.
        for (size_t bit = 0; bit < nets.size(); ++bit)
            net_[nets[bit]] = number == kNothing || table[number * nets.size() + bit] ? kOnes : kZeros;
    }

    void drive(const Cycle& cycle) {
        for (size_t bit = 0; bit < design_.levels.size(); ++bit)
            net_[design_.levels[bit]] = cycle.levels >> bit & 1 ? kOnes : kZeros;
        set(design_.command, trace_.commands, cycle.command);
        set(design_.fill, trace_.fills, cycle.fill);
    }

    template <typename F> void each(const Run& run, F function) {
        for (int32_t at = run.first; at < run.end; ++at) {
            const Gate& gate = design_.gates[at];
            net_[gate.out] = function(net_[gate.a], net_[gate.b], net_[gate.c]);
        }
    }

    void evaluate(size_t first, size_t end) {
        for (size_t at = first; at < end; ++at) {
            const Run& run = design_.runs[at];
            typedef const Word& W;
            switch (run.kind) {
                case 0: each(run, [](W a, W, W) { return ~a; }); break;
                case 1: each(run, [](W a, W b, W) { return a & b; }); break;
                case 2: each(run, [](W a, W b, W) { return a | b; }); break;
                case 3: each(run, [](W a, W b, W) { return a ^ b; }); break;
                case 4: each(run, [](W a, W b, W) { return ~(a ^ b); }); break;
                case 5: each(run, [](W a, W b, W) { return ~(a & b); }); break;
                case 6: each(run, [](W a, W b, W) { return ~(a | b); }); break;
                case 7: each(run, [](W a, W b, W) { return a & ~b; }); break;
                case 8: each(run, [](W a, W b, W) { return a | ~b; }); break;
                case 9: each(run, [](W a, W b, W s) { return (b & s) | (a & ~s); }); break;
                default: exit(1);
            }
        }
    }

    void clock() {
        for (size_t at = 0; at < next_.size(); ++at) next_[at] = net_[design_.flipflops[at].d];
        for (size_t at = 0; at < next_.size(); ++at) net_[design_.flipflops[at].q] = next_[at];
    }

    // The word of `net` where it differs from what it should be, of the mutants in `of`.
    Word differs(int32_t net, bool expected, const Word& of) const {
        return (net_[net] ^ (expected ? kOnes : kZeros)) & of;
    }

    void check(size_t at, const std::vector<uint32_t>& mutants, std::vector<Found>& found) {
        const Cycle& cycle = trace_.cycles[at];
        const auto note = [&](const Word& wrong, Word& alive, bool bank, size_t bit) {
            if (!any(wrong)) return;
            alive &= ~wrong;
            for (size_t lane = 0; lane <= mutants.size(); ++lane) {
                if (!bit_of(wrong, lane)) continue;
                Found& one = found[lane ? mutants[lane - 1] : 0];
                (bank ? one.bank_cycle : one.cycle) = at;
                (bank ? one.bank_bit : one.bit) = bit;
            }
        };
        // A wrong access of a bank does not end a mutant: what follows from it says more.
        for (size_t bit = 0; bit < design_.banks.size(); ++bit) {
            const uint8_t expected = trace_.banks[at * design_.banks.size() + bit];
            if (expected < 2) note(differs(design_.banks[bit], expected, bank_alive_), bank_alive_, true, bit);
        }
        for (size_t bit = 0; bit < design_.outputs.size(); ++bit)
            note(differs(design_.outputs[bit], cycle.outputs >> bit & 1, alive_), alive_, false, bit);
        if (cycle.response != kNothing)
            for (size_t bit = 0; bit < design_.response.size(); ++bit) {
                const uint8_t expected = trace_.responses[cycle.response * design_.response.size() + bit];
                if (expected < 2)
                    note(differs(design_.response[bit], expected, alive_), alive_, false,
                         design_.outputs.size() + bit);
            }
        bank_alive_ &= alive_;
    }
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) return 1;
    const Design design{File(argv[1])};
    const Trace trace{File(argv[2]), design};
    const uint32_t from = atoi(argv[3]), to = atoi(argv[4]);
    Player player{design, trace};
    std::vector<Found> found(to);
    for (const size_t limit : kRounds) {
        std::vector<uint32_t> alive;
        for (uint32_t mutant = from; mutant < to; ++mutant)
            if (found[mutant].cycle < 0) alive.push_back(mutant);
        if (from == 0 && alive.empty()) break;
        size_t at = 0;
        do {
            const size_t end = at + kBits - 1 < alive.size() ? at + kBits - 1 : alive.size();
            player.play({alive.begin() + at, alive.begin() + end}, limit, found);
            at = end;
        } while (at < alive.size());
    }
    const auto say = [&](uint32_t number) {
        const Found& one = found[number];
        printf("%u %ld %ld %ld %ld\n", number, one.cycle, one.bit, one.bank_cycle, one.bank_bit);
    };
    say(0);
    for (uint32_t mutant = from; mutant < to; ++mutant) if (mutant) say(mutant);
    return 0;
}

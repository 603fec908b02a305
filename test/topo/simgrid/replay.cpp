/*
 * Replays the plans of plans.c in SimGrid, another simulator, by other people. Prints a line of CSV
 * for each: network, kind, bytes, the simulator's time and SimGrid's, in segments over the slowest
 * link.
 *
 *   replay ties|fifo|fair < PLANS
 *
 * SimGrid has each directed link as one of its own, of this bandwidth, and no latency; hosts and
 * switches are hosts to it. It models flows: those that are on a link at once share it, and a flow
 * goes over all links of a route at the same time. What switches do, which store a frame before
 * they forward it, is therefore replayed link by link: a segment over one link is one flow, which
 * begins when the one over the link before has ended. With `fifo` a link carries one flow at a
 * time, as a port sends one frame after the other; with `fair` all that are there share it, as
 * SimGrid has it. Which of two segments is first that reach a link at the same instant is SimGrid's
 * chance; with `ties` it is `fifo` and the older one, as in the simulator. A rank sends one segment
 * at a time: what arrived first first, to its children in their order, and the next when the
 * segment has left its first link.
 */
#include <algorithm>
#include <cstdio>
#include <deque>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

namespace sg = simgrid::s4u;

namespace
{

/** Bytes of a segment: so many that SimGrid's precision does not matter. */
constexpr double SEGMENT = 1e6;

struct Link {
    int from, to;
    double speed;
};

struct Edge {
    int child;
    std::vector<int> links;
};

struct Plan {
    std::string network, kind;
    int bytes, n_segments, n_ranks, n_streams, root;
    double simulated;
    /** By stream and parent. */
    std::vector<std::vector<std::vector<Edge>>> edges;
};

/** A segment on its way down an edge. */
struct Way {
    int segment, parent;
    const Edge *edge;
    std::size_t hop;
};

enum class Mode { TIES, FIFO, FAIR };

/** The older segment first. */
bool is_before(const Way &a, const Way &b)
{
    return a.segment != b.segment ? a.segment < b.segment : a.edge->child < b.edge->child;
}

class Replay
{
  public:
    Replay(const Plan &plan, const std::map<int, Link> &links, const std::vector<sg::Host *> &hosts,
           Mode mode)
        : plan_(plan), links_(links), hosts_(hosts), mode_(mode),
          waiting_(static_cast<std::size_t>(plan.n_ranks)),
          busy_(static_cast<std::size_t>(plan.n_ranks))
    {
    }

    /** The time until the last rank has the last segment. */
    double run()
    {
        const double begin = sg::Engine::get_clock();
        for (int segment = 0; segment < plan_.n_segments; segment++) {
            arrive(plan_.root, segment);
        }
        while (!flows_.empty()) {
            std::vector<Way> ended{take(sg::Comm::wait_any(flows_))};
            while (mode_ == Mode::TIES && !flows_.empty()) {
                const ssize_t at = sg::Comm::test_any(flows_);
                if (at < 0) {
                    break;
                }
                ended.push_back(take(at));
            }
            std::sort(ended.begin(), ended.end(), is_before);
            for (const Way &way : ended) {
                leave_link(way);
            }
        }
        return sg::Engine::get_clock() - begin;
    }

  private:
    /** Removes a flow that has ended. */
    Way take(ssize_t at)
    {
        const Way way = ways_[static_cast<std::size_t>(at)];
        flows_.erase(flows_.begin() + at);
        ways_.erase(ways_.begin() + at);
        return way;
    }

    /** A rank has a segment, and sends it to its children in turn. */
    void arrive(int rank, int segment)
    {
        const auto stream = static_cast<std::size_t>(segment % plan_.n_streams);
        for (const Edge &edge : plan_.edges[stream][static_cast<std::size_t>(rank)]) {
            waiting_[static_cast<std::size_t>(rank)].push_back({segment, rank, &edge, 0});
        }
        send_next(rank);
    }

    void send_next(int rank)
    {
        const auto at = static_cast<std::size_t>(rank);
        if (!busy_[at] && !waiting_[at].empty()) {
            busy_[at] = true;
            enter_link(waiting_[at].front());
            waiting_[at].pop_front();
        }
    }

    void enter_link(const Way &way)
    {
        const Link &link = links_.at(way.edge->links[way.hop]);
        flows_.push_back(sg::Comm::sendto_async(hosts_[static_cast<std::size_t>(link.from)],
                                                hosts_[static_cast<std::size_t>(link.to)],
                                                static_cast<std::uint64_t>(SEGMENT)));
        ways_.push_back(way);
    }

    void leave_link(Way way)
    {
        if (way.hop == 0) {
            busy_[static_cast<std::size_t>(way.parent)] = false;
        }
        if (way.hop + 1 < way.edge->links.size()) {
            enter_link({way.segment, way.parent, way.edge, way.hop + 1});
        } else {
            arrive(way.edge->child, way.segment);
        }
        if (way.hop == 0) {
            send_next(way.parent);
        }
    }

    const Plan &plan_;
    const std::map<int, Link> &links_;
    const std::vector<sg::Host *> &hosts_;
    Mode mode_;
    std::vector<std::deque<Way>> waiting_; /**< by rank */
    std::vector<bool> busy_;               /**< by rank: a segment is on its first link */
    std::vector<sg::CommPtr> flows_;
    std::vector<Way> ways_; /**< of the flows */
};

struct Network {
    std::string name;
    int n_nodes;
    std::map<int, Link> links;
    std::vector<Plan> plans;
    std::vector<sg::Host *> hosts;
};

Plan read_plan(std::istream &words, const std::string &network)
{
    Plan plan;
    plan.network = network;
    words >> plan.kind >> plan.bytes >> plan.n_segments >> plan.n_ranks >> plan.n_streams >>
        plan.root >> plan.simulated;
    plan.edges.assign(static_cast<std::size_t>(plan.n_streams),
                      std::vector<std::vector<Edge>>(static_cast<std::size_t>(plan.n_ranks)));
    return plan;
}

void read_edge(std::istream &words, Plan &plan)
{
    int stream, parent, link;
    Edge edge;
    words >> stream >> parent >> edge.child;
    while (words >> link) {
        edge.links.push_back(link);
    }
    plan.edges[static_cast<std::size_t>(stream)][static_cast<std::size_t>(parent)].push_back(edge);
}

std::vector<Network> read_networks(std::istream &in)
{
    std::vector<Network> networks;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string what;
        words >> what;
        if (what == "network") {
            networks.emplace_back();
            words >> networks.back().name >> networks.back().n_nodes;
        } else if (what == "link") {
            int number;
            Link link;
            words >> number >> link.from >> link.to >> link.speed;
            networks.back().links[number] = link;
        } else if (what == "plan") {
            networks.back().plans.push_back(read_plan(words, networks.back().name));
        } else if (what == "edge") {
            read_edge(words, networks.back().plans.back());
        }
    }
    return networks;
}

/** Hosts, and a route between each two that a link joins, over this link alone. */
void make_network(Network &network, sg::NetZone *zone, Mode mode)
{
    for (int i = 0; i < network.n_nodes; i++) {
        network.hosts.push_back(zone->create_host(network.name + "-" + std::to_string(i), 1e9));
    }
    for (const auto &[number, link] : network.links) {
        sg::Link *made = zone->create_link(network.name + "-link" + std::to_string(number),
                                           SEGMENT * link.speed);
        made->set_latency(0);
        if (mode != Mode::FAIR) {
            made->set_concurrency_limit(1);
        }
        made->seal();
        zone->add_route(network.hosts[static_cast<std::size_t>(link.from)]->get_netpoint(),
                        network.hosts[static_cast<std::size_t>(link.to)]->get_netpoint(), nullptr,
                        nullptr, {{made, sg::LinkInRoute::Direction::NONE}}, false);
    }
}

void replay_all(const std::vector<Network> &networks, Mode mode)
{
    for (const Network &network : networks) {
        for (const Plan &plan : network.plans) {
            const double time = Replay(plan, network.links, network.hosts, mode).run();
            std::printf("%s,%s,%d,%.4f,%.4f\n", plan.network.c_str(), plan.kind.c_str(), plan.bytes,
                        plan.simulated, time);
            std::fflush(stdout);
        }
    }
}

} // namespace

int main(int argc, char **argv)
{
    const std::map<std::string, Mode> modes = {
        {"ties", Mode::TIES}, {"fifo", Mode::FIFO}, {"fair", Mode::FAIR}};
    if (argc != 2 || modes.count(argv[1]) == 0) {
        std::fprintf(stderr, "usage: replay ties|fifo|fair < PLANS\n");
        return 2;
    }
    const Mode mode = modes.at(argv[1]);
    sg::Engine engine(&argc, argv);
    sg::Engine::set_config("network/model:CM02");
    sg::Engine::set_config("network/crosstraffic:0");
    sg::Engine::set_config("network/TCP-gamma:0");
    std::vector<Network> networks = read_networks(std::cin);
    sg::NetZone *zone = sg::create_full_zone("all");
    for (Network &network : networks) {
        make_network(network, zone, mode);
    }
    zone->seal();
    sg::Actor::create("replay", networks.front().hosts.front(),
                      [&networks, mode] { replay_all(networks, mode); });
    engine.run();
    return 0;
}

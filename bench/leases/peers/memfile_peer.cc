// The lease backend in memory that the guide of 2012 describes (section 3.4), written to that description.
//
//   memfile_peer FILE OPERATIONS sync|async octets|table [guide|search]
//
// Leases lie in a std::map of shared pointers by their address. Every change is written to a file as well, which is
// only ever appended to, as a block of text; in the synchronous mode fflush and fsync follow each change. Octets are
// printed one by one with fprintf, as one writes it down first; `table` prints a whole identifier at once, for whoever
// thinks that unfair. With `guide` searches are drawn as in 2012; with `search` nothing is done after the searches.

#include "bare.h"
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

struct Lease {
    uint32_t addr;
    std::vector<uint8_t> hwaddr;
    std::vector<uint8_t> client_id;
    uint32_t valid_lft;
    uint32_t recycle_time;
    time_t cltt;
    uint32_t pool_id;
    bool fixed;
    std::string hostname;
    bool fqdn_fwd;
    bool fqdn_rev;
};

typedef std::shared_ptr<Lease> LeasePtr;

class LeaseMgr {
public:
    LeaseMgr(const char *name, bool sync, bool table) : sync_(sync), table_(table), file_(fopen(name, "w")) {
        if (!file_) fail("create the lease file", name);
    }

    ~LeaseMgr() { fclose(file_); }

    bool addLease(const LeasePtr &lease) {
        if (!leases_.insert(std::make_pair(lease->addr, lease)).second) return false;
        writeLease(*lease);
        return true;
    }

    LeasePtr getLease(uint32_t addr) const {
        std::map<uint32_t, LeasePtr>::const_iterator found = leases_.find(addr);
        return found == leases_.end() ? LeasePtr() : found->second;
    }

    bool updateLease(uint32_t addr, time_t cltt) {
        std::map<uint32_t, LeasePtr>::iterator found = leases_.find(addr);
        if (found == leases_.end()) return false;
        found->second->cltt = cltt;
        found->second->hostname = "update";
        writeLease(*found->second);
        return true;
    }

    bool deleteLease(uint32_t addr) {
        std::map<uint32_t, LeasePtr>::iterator found = leases_.find(addr);
        if (found == leases_.end()) return false;
        found->second->valid_lft = 0;
        writeLease(*found->second);
        leases_.erase(found);
        return true;
    }

    size_t count() const { return leases_.size(); }

private:
    void writeOctets(const char *name, const std::vector<uint8_t> &octets) {
        if (!table_) {
            fprintf(file_, "  %s ", name);
            for (size_t place = 0; place < octets.size(); place++) fprintf(file_, "%02x:", octets[place]);
            fprintf(file_, ";\n");
            return;
        }
        static const char digits[] = "0123456789abcdef";
        char text[3 * 128 + 1];
        char *end = text;
        for (uint8_t octet : octets) {
            *end++ = digits[octet >> 4];
            *end++ = digits[octet & 15];
            *end++ = ':';
        }
        *end = 0;
        fprintf(file_, "  %s %s;\n", name, text);
    }

    void writeLease(const Lease &lease) {
        fprintf(file_, "lease %u {\n", lease.addr);
        writeOctets("hw-addr", lease.hwaddr);
        writeOctets("client-id", lease.client_id);
        fprintf(file_,
                "  valid-lifetime %u;\n  recycle-time %u;\n  cltt %lld;\n  pool-id %u;\n  fixed %s;\n"
                "  hostname %s;\n  fqdn_fwd %s;\n  fqdn_rev %s;\n};\n",
                lease.valid_lft, lease.recycle_time, (long long)lease.cltt, lease.pool_id,
                lease.fixed ? "true" : "false", lease.hostname.c_str(), lease.fqdn_fwd ? "true" : "false",
                lease.fqdn_rev ? "true" : "false");
        if (sync_ && (fflush(file_) != 0 || fsync(fileno(file_)) != 0)) fail("write the lease file", "no space?");
    }

    bool sync_;
    bool table_;
    FILE *file_;
    std::map<uint32_t, LeasePtr> leases_;
};

static LeasePtr made(uint32_t addr, uint64_t number) {
    LeasePtr lease(new Lease());
    lease->addr = addr;
    lease->hwaddr.assign(20, 'A');
    lease->client_id.resize(128);
    for (int place = 0; place < 128; place++) lease->client_id[place] = '!' + place;
    lease->valid_lft = 1000;
    lease->cltt = time(NULL) + number;
    lease->pool_id = 0;
    lease->fixed = false;
    lease->hostname = "foo";
    lease->fqdn_fwd = lease->fqdn_rev = true;
    return lease;
}

int main(int count, char **words) {
    if (count < 5) fail("start", "usage: memfile_peer FILE OPERATIONS sync|async octets|table [guide|search]");
    const uint64_t n = strtoull(words[2], NULL, 10);
    LeaseMgr leases(words[1], strcmp(words[3], "sync") == 0, strcmp(words[4], "table") == 0);
    const bool guide = count > 5 && strcmp(words[5], "guide") == 0;
    uint64_t done = 0;
    double start = now();
    for (uint64_t i = 0; i < n; i++) done += leases.addLease(made(BASE + i, i));
    told("create", n, now() - start, done);

    done = 0;
    start = now();
    if (guide) {
        for (uint64_t i = 0; i < n; i++) done += leases.getLease(sought_in_2012(i, n)) != nullptr;
    } else {
        for (uint64_t i = 0; i < n; i++) done += leases.getLease(sought(i, n)) != nullptr;
    }
    told("search", n, now() - start, done);
    if (count > 5 && !guide) return 0;

    done = 0;
    start = now();
    for (uint64_t i = 0; i < n; i++) done += leases.updateLease(renewed(i, n), time(NULL));
    told("update", n, now() - start, done);

    done = 0;
    start = now();
    for (uint64_t i = 0; i < n; i++) done += leases.deleteLease(BASE + i);
    told("delete", n, now() - start, done);
    return leases.count() == 0 ? 0 : 1;
}

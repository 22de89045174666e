#include "read.h"

#include <string.h>

static const char source[] = "ucx_info";

/* One transport of one device, as ucx_info -d lists them. */
struct transport {
  bool verbs; /* a transport over an RDMA device that has atomics */
  bool mlx5;
  char device[NAME_SIZE];
  char domain[16];
};

static bool commit(const struct transport *transport, struct nic_facts *nic) {
  if (!transport->mlx5) {
    return mode_unknown(nic, "UCX does not tell", source) && wr_unknown(nic, "UCX does not tell", source);
  }
  bool ok = wr_unknown(nic, "UCX does not tell", source);
  if (strcmp(transport->domain, "cpu") == 0) {
    return ok && mode_refuted(nic, source) && mode_unknown(nic, "UCX", source);
  }
  return ok && mode_unknown(nic, "UCX: domain \"device\" is no proof of mode 0", source);
}

static bool finish(struct transport *transport, const struct from_notes *notes, struct host_facts *host) {
  bool told = transport->verbs && transport->device[0] && transport->domain[0];
  struct nic_facts *nic = NULL;
  bool ok = !told || find_nic(host, notes, transport->device, &nic);
  if (ok && nic) {
    ok = commit(transport, nic) && fact_is(&nic->facts[NIC_DEVICE], transport->device, source);
  }
  *transport = (struct transport){0};
  return ok;
}

static void read_line(const char *line, bool cut, struct transport *transport) {
  const char *device = after_label(line, "Device:");
  const char *domain = after_label(line, "domain:");
  if (device && strchr(device, ':')) {
    word_copy(transport->device, sizeof transport->device, (struct word){device, strcspn(device, ": ")});
    transport->mlx5 = transport->mlx5 || text_begins(device, "mlx5_");
  } else if (domain && !cut && (strcmp(domain, "cpu") == 0 || strcmp(domain, "device") == 0)) {
    word_copy(transport->domain, sizeof transport->domain, (struct word){domain, strlen(domain)});
  }
}

bool read_ucx(const struct capture *capture, const struct from_notes *notes, struct host_facts *host) {
  struct transport transport = {0};
  bool ok = true;
  for (size_t i = 0; ok && i < capture->count; i++) {
    const char *line = capture->lines[i];
    if (line[0] != '#') {
      continue;
    }
    line += 1 + strspn(line + 1, " ");
    const char *name = after_label(line, "Transport:");
    if (name) {
      ok = finish(&transport, notes, host);
      transport.verbs = text_begins(name, "rc_") || text_begins(name, "dc_");
      transport.mlx5 = strstr(name, "_mlx5") != NULL;
    } else {
      read_line(line, capture->cut && i + 1 == capture->count, &transport);
    }
  }
  return ok && finish(&transport, notes, host);
}

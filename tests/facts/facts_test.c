/* Facts files: every status, and every reason for which the modes are no proof. A fake /proc and /sys stand below a folder. */
#include "policy/facts.h"
#include "tests/policy/rows.h"

#define BOOT "1f0c8a52-6d0e-4d4c-9a37-0123456789ab"
#define TOP "[facts]\nversion = 1\nhostname = h200-17\nboot-id = " BOOT "\nhypervisor = kvm\n"
#define GUID "9c63:c003:0012:3456"
#define MODES(current, next) "pci-atomic-mode-current = " current "\npci-atomic-mode-next = " next "\n"
#define NIC(address, device)                                                                                           \
  "[nic " address "]\ndevice = " device "\nnode-guid = " GUID "\nfirmware = 28.43.2026\npci-atomic-source = " device   \
  "\n"
#define NIC0 NIC("0000:81:00.0", "mlx5_0")
#define NIC1 NIC("0000:82:00.0", "mlx5_1")
#define ZERO MODES("0", "0")

static char root[64];

static void setup(void) {
  folder_new(root);
  text_write(root, "proc/sys/kernel/random/boot_id", BOOT "\n");
}

static struct facts *read_facts(const char *text) {
  text_write(root, "run/winord/facts.ini", text);
  struct facts *facts = facts_read(NULL, root);
  assert_non_null(facts);
  return facts;
}

static const struct status_row {
  const char *name, *text;
  enum facts_status status;
  const char *trouble; /* after the path */
} status_rows[] = {
    {"current", TOP NIC0 ZERO, FACTS_CURRENT, NULL},
    {"current, no NIC", TOP, FACTS_CURRENT, NULL},
    {"current, upper case boot id", "[facts]\nversion = 1\nboot-id = 1F0C8A52-6D0E-4D4C-9A37-0123456789AB\n",
     FACTS_CURRENT, NULL},
    {"current, keys and sections of a newer winord",
     TOP "path-class = pix\n[gpu 0]\nx = y\nx = z\n[nic 0000:81:00.0]\ncolour = red\npci-wr-ordering = new\n",
     FACTS_CURRENT, NULL},
    {"current, same value twice", TOP NIC0 "device = mlx5_0\n" ZERO ZERO, FACTS_CURRENT, NULL},
    {"stale, other boot", "[facts]\nversion = 1\nboot-id = 2\n", FACTS_STALE, ": of another boot"},
    {"stale, no boot id", "[facts]\nversion = 1\n" NIC0 ZERO, FACTS_STALE, ": no boot-id"},
    {"damaged, empty", "", FACTS_DAMAGED, ": ends in the middle of a line"},
    {"damaged, no newline at the end", TOP "[nic 0000:81:00.0]\ndevice = mlx5_1", FACTS_DAMAGED,
     ": ends in the middle of a line"},
    {"damaged, no version", "[facts]\nboot-id = " BOOT "\n", FACTS_DAMAGED, ": no version = 1 in [facts]"},
    {"damaged, other version", "[facts]\nversion = 2\n", FACTS_DAMAGED, ":2: not version 1"},
    {"damaged, version in another section", "[nic a]\nversion = 1\n", FACTS_DAMAGED, ": no version = 1 in [facts]"},
    {"damaged, no section", "version = 1\n", FACTS_DAMAGED, ":1: a value before any section"},
    {"damaged, line that is no pair", TOP "junk\n", FACTS_DAMAGED, ":6: expected 'key = value'"},
    {"damaged, indented line", TOP " x = y\n", FACTS_DAMAGED, ":6: indented line"},
    {"damaged, key without value", TOP NIC0 "driver =\n", FACTS_DAMAGED, ":11: key 'driver' has no value"},
    {"damaged, second device", TOP NIC0 "device = mlx5_1\n", FACTS_DAMAGED, ":11: device = mlx5_1"},
    {"damaged, second mode", TOP NIC0 ZERO "pci-atomic-mode-current = 4\n", FACTS_DAMAGED,
     ":13: pci-atomic-mode-current = 4"},
    {"damaged, second ordering", TOP NIC0 "pci-wr-ordering = per_mkey\npci-wr-ordering = force_relax\n", FACTS_DAMAGED,
     ":12: pci-wr-ordering = force_relax"},
    {"damaged, mode that is none", TOP NIC0 MODES("0", "5"), FACTS_DAMAGED, ":12: pci-atomic-mode-next = 5"},
    {"damaged, second hypervisor", TOP "hypervisor = none\n", FACTS_DAMAGED, ":6: hypervisor = none"},
    {"damaged, second kernel", TOP "kernel = 6.1\nkernel = 6.8\n", FACTS_DAMAGED, ":7: kernel = 6.8"},
    {"damaged, second list of GPUs", TOP "gpu = a\ngpu = b\n", FACTS_DAMAGED, ":7: gpu = b"},
    {"damaged, second path", TOP "path = PIX\npath = PHB\n", FACTS_DAMAGED, ":7: path = PHB"},
    {"damaged, second type", TOP NIC0 "nic-type = a\nnic-type = b\n", FACTS_DAMAGED, ":12: nic-type = b"},
    {"current, another word of PCIe atomics", TOP NIC0 "pci-atomics = perhaps\n", FACTS_CURRENT, NULL},
    {"damaged, same NIC twice", TOP NIC0 ZERO NIC0 ZERO, FACTS_DAMAGED, ":13: this NIC has a section already"},
    {"damaged, second [facts]", TOP "[facts]\nversion = 1\n", FACTS_DAMAGED, ":6: a second [facts] section"},
};

static void test_status(void **state) {
  const struct status_row *row = *state;
  setup();
  struct facts *facts = read_facts(row->text);
  assert_int_equal(facts->status, row->status);
  if (!row->trouble) {
    assert_null(facts->trouble);
  } else {
    size_t length = strlen(facts->path);
    assert_int_equal(strncmp(facts->trouble, facts->path, length), 0);
    if (strncmp(facts->trouble + length, row->trouble, strlen(row->trouble)) != 0)
      fail_msg("%s", facts->trouble);
  }
  facts_free(facts);
  folder_remove(root);
}

static void test_none(void **state) {
  (void)state;
  setup();
  struct facts *facts = facts_read(NULL, root);
  assert_int_equal(facts->status, FACTS_NONE);
  assert_null(facts->path);
  assert_null(facts->trouble);
  assert_string_equal(facts_modes(facts, NULL, false, root).unproved, "facts_missing");
  facts_free(facts);
  folder_remove(root);
}

static void test_missing(void **state) {
  (void)state;
  setup();
  struct facts *facts = facts_read("/nonexistent/facts.ini", root);
  assert_int_equal(facts->status, FACTS_MISSING);
  assert_string_equal(facts->trouble, "/nonexistent/facts.ini: no such file");
  facts_free(facts);
  facts = facts_read(root, root);
  assert_int_equal(facts->status, FACTS_MISSING);
  assert_non_null(strstr(facts->trouble, ": is a directory"));
  assert_string_equal(facts_modes(facts, NULL, false, root).unproved, "facts_missing");
  facts_free(facts);
  folder_remove(root);
}

static void test_no_boot_id(void **state) {
  (void)state;
  folder_new(root);
  struct facts *facts = read_facts(TOP NIC0 ZERO);
  assert_int_equal(facts->status, FACTS_STALE);
  assert_non_null(strstr(facts->trouble, "this system's boot id cannot be read"));
  facts_free(facts);
  folder_remove(root);
}

static void test_content(void **state) {
  (void)state;
  setup();
  struct facts *facts = read_facts(
      TOP
      "[nic 0000:81:00.0]\ndevice = mlx5_0\ndriver = mlx5_core\nnode-guid = " GUID "\nfirmware = 28.43.2026\n"
      "pci-atomic-mode-default = 1\npci-atomic-mode-current = 4\npci-atomic-mode-next = unknown\n"
      "pci-atomic-source = mstconfig\npci-wr-ordering = force_relax\n[nic 0000:82:00.0]\npci-wr-ordering = per_mkey\n");
  assert_string_equal(facts->hostname, "h200-17");
  assert_string_equal(facts->boot_id, BOOT);
  assert_string_equal(facts->hypervisor, "kvm");
  assert_int_equal(facts->nic_count, 2);
  const struct nic *nic = facts->nics;
  assert_string_equal(nic->address, "0000:81:00.0");
  assert_string_equal(nic->device, "mlx5_0");
  assert_string_equal(nic->driver, "mlx5_core");
  assert_string_equal(nic->node_guid, GUID);
  assert_string_equal(nic->firmware, "28.43.2026");
  assert_int_equal(nic->mode_default, 1);
  assert_int_equal(nic->mode_current, 4);
  assert_int_equal(nic->mode_next, MODE_UNKNOWN);
  assert_string_equal(nic->source, "mstconfig");
  assert_int_equal(nic->wr_ordering, WR_ORDERING_FORCE_RELAX);
  assert_null(nic[1].device);
  assert_int_equal(nic[1].wr_ordering, WR_ORDERING_PER_MKEY);
  facts_free(facts);
  folder_remove(root);
}

/* Who may have written the file; the rest only root can set up. */
static void test_trust(void **state) {
  (void)state;
  char path[128];
  setup();
  snprintf(path, sizeof path, "%s/run/winord/facts.ini", root);
  static const struct {
    mode_t mode;
    uid_t owner;
    bool trusted;
  } ways[] = {{0644, 0, true}, {0600, 0, true}, {0664, 0, false}, {0646, 0, false}, {0644, 1000, false}};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    facts_free(read_facts(TOP NIC0 ZERO));
    bool changed = chmod(path, ways[i].mode) == 0 && (geteuid() != 0 || chown(path, ways[i].owner, 0) == 0);
    assert_true(changed);
    struct facts *facts = facts_read(NULL, root);
    bool trusted = ways[i].trusted && geteuid() == 0;
    assert_int_equal(facts->trusted, trusted);
    if (!trusted)
      assert_string_equal(facts_modes(facts, NULL, false, root).unproved, "facts_untrusted");
    facts_free(facts);
    unlink(path);
  }
  folder_remove(root);
}

/* A NIC of the fake sysfs; driver, guid and fw may be NULL. */
struct sysfs {
  const char *device, *guid, *fw, *driver;
};

static void sysfs_write(const struct sysfs *nic) {
  char name[128], link[256], target[128];
  snprintf(name, sizeof name, "sys/class/infiniband/%s/node_type", nic->device);
  text_write(root, name, "1: CA\n");
  snprintf(name, sizeof name, "sys/class/infiniband/%s/node_guid", nic->device);
  if (nic->guid)
    text_write(root, name, nic->guid);
  snprintf(name, sizeof name, "sys/class/infiniband/%s/fw_ver", nic->device);
  if (nic->fw)
    text_write(root, name, nic->fw);
  snprintf(name, sizeof name, "sys/class/infiniband/%s/device/vendor", nic->device);
  text_write(root, name, "0x15b3\n");
  if (!nic->driver)
    return;
  snprintf(link, sizeof link, "%s/sys/class/infiniband/%s/device/driver", root, nic->device);
  snprintf(target, sizeof target, "../../../../bus/pci/drivers/%s", nic->driver);
  assert_int_equal(symlink(target, link), 0);
}

#define SYS0                                                                                                           \
  { "mlx5_0", GUID "\n", "28.43.2026\n", "mlx5_core" }
#define SYS1                                                                                                           \
  { "mlx5_1", GUID "\n", "28.43.2026\n", "mlx5_core" }

static const struct modes_row {
  const char *name, *text, *ib_hca;
  struct sysfs sysfs[2];
  bool plugin;
  const char *unproved;
  int mode;
  const char *source;
  bool contradicts, force_relax;
} modes_rows[] = {
    {"proved", TOP NIC0 ZERO, NULL, {SYS0}, false, NULL, 0, "mlx5_0", false, false},
    {"proved, two NICs", TOP NIC0 ZERO NIC1 ZERO, NULL, {SYS0, SYS1}, false, NULL, 0, "mlx5_0", false, false},
    {"proved, sysfs not there", TOP NIC0 ZERO, NULL, {{0}}, false, NULL, 0, "mlx5_0", false, false},
    {"proved, NIC that sysfs lacks", TOP NIC0 ZERO NIC1 ZERO, NULL, {SYS0}, false, NULL, 0, "mlx5_0", false, false},
    {"proved, sysfs without GUID and firmware",
     TOP NIC0 ZERO,
     NULL,
     {{"mlx5_0", NULL, NULL, NULL}},
     false,
     NULL,
     0,
     "mlx5_0",
     false,
     false},
    {"proved, GUID in other case",
     "[facts]\nversion = 1\nboot-id = " BOOT "\n[nic a]\ndevice = mlx5_0\n"
     "node-guid = 9C63:C003:0012:3456\nfirmware = 28.43.2026\n" ZERO,
     NULL,
     {SYS0},
     false,
     NULL,
     0,
     NULL,
     false,
     false},
    {"damaged", TOP NIC0 ZERO "junk\n", NULL, {SYS0}, false, "facts_damaged", MODE_UNKNOWN, NULL, false, false},
    {"stale",
     "[facts]\nversion = 1\nboot-id = 2\n" NIC0 MODES("4", "4") "pci-wr-ordering = force_relax\n",
     NULL,
     {SYS0},
     false,
     "facts_stale",
     MODE_UNKNOWN,
     NULL,
     false,
     false},
    {"external plugin", TOP NIC0 ZERO, NULL, {SYS0}, true, "external_plugin", 0, "mlx5_0", false, false},
    {"no NIC", TOP, NULL, {{0}}, false, "no_nic", MODE_UNKNOWN, NULL, false, false},
    {"no NIC that may be used", TOP NIC0 ZERO, "mlx5_7", {SYS0}, false, "no_nic", MODE_UNKNOWN, NULL, false, false},
    {"NIC that the facts lack", TOP NIC0 ZERO, NULL, {SYS0, SYS1}, false, "nic_unlisted", 0, "mlx5_0", false, false},
    {"NIC that the facts lack, not to be used",
     TOP NIC0 ZERO,
     "mlx5_0",
     {SYS0, SYS1},
     false,
     "nic_unlisted",
     0,
     "mlx5_0",
     false,
     false},
    {"other GUID",
     TOP NIC0 ZERO,
     NULL,
     {{"mlx5_0", "9c63:c003:0012:3457\n", "28.43.2026\n", NULL}},
     false,
     "nic_changed",
     0,
     "mlx5_0",
     false,
     false},
    {"other firmware",
     TOP NIC0 ZERO,
     NULL,
     {{"mlx5_0", GUID "\n", "28.43.2027\n", NULL}},
     false,
     "nic_changed",
     0,
     "mlx5_0",
     false,
     false},
    {"facts without GUID",
     TOP "[nic a]\ndevice = mlx5_0\nfirmware = 28.43.2026\n" ZERO,
     NULL,
     {SYS0},
     false,
     "nic_changed",
     0,
     NULL,
     false,
     false},
    {"other firmware of a NIC that may not be used",
     TOP NIC0 ZERO NIC1 ZERO,
     "mlx5_0",
     {SYS0, {"mlx5_1", GUID "\n", "1\n", NULL}},
     false,
     NULL,
     0,
     "mlx5_0",
     false,
     false},
    {"mode 4", TOP NIC0 MODES("4", "4"), NULL, {SYS0}, false, "mode_not_zero", 4, "mlx5_0", true, false},
    {"mode 0, PCIe atomics in use",
     TOP NIC0 ZERO "pci-atomics = yes\n",
     NULL,
     {SYS0},
     false,
     "mode_unknown",
     MODE_UNKNOWN,
     "mlx5_0",
     true,
     false},
    {"mode 4, PCIe atomics in use",
     TOP NIC0 MODES("4", "4") "pci-atomics = yes\n",
     NULL,
     {SYS0},
     false,
     "mode_not_zero",
     4,
     "mlx5_0",
     true,
     false},
    {"PCIe atomics of a NIC that may not be used contradict",
     TOP NIC0 ZERO NIC1 ZERO "pci-atomics = yes\n",
     "=mlx5_0",
     {SYS0, SYS1},
     false,
     NULL,
     0,
     "mlx5_0",
     true,
     false},
    {"mode 4 now, 0 next", TOP NIC0 MODES("4", "0"), NULL, {SYS0}, false, "mode_not_zero", 4, "mlx5_0", true, false},
    {"mode 0 now, 4 next", TOP NIC0 MODES("0", "4"), NULL, {SYS0}, false, "mode_not_zero", 4, "mlx5_0", true, false},
    {"mode 1 now, 3 next: the larger",
     TOP NIC0 MODES("1", "3"),
     NULL,
     {SYS0},
     false,
     "mode_not_zero",
     3,
     "mlx5_0",
     true,
     false},
    {"mode 2 now, unknown next",
     TOP NIC0 MODES("2", "unknown"),
     NULL,
     {SYS0},
     false,
     "mode_not_zero",
     2,
     "mlx5_0",
     true,
     false},
    {"mode unknown now",
     TOP NIC0 MODES("unknown", "0"),
     NULL,
     {SYS0},
     false,
     "mode_unknown",
     MODE_UNKNOWN,
     "mlx5_0",
     false,
     false},
    {"mode unknown next",
     TOP NIC0 "pci-atomic-mode-current = 0\n",
     NULL,
     {SYS0},
     false,
     "mode_unknown",
     MODE_UNKNOWN,
     "mlx5_0",
     false,
     false},
    {"mode 0 by default only",
     TOP NIC0 "pci-atomic-mode-default = 0\n",
     NULL,
     {SYS0},
     false,
     "mode_unknown",
     MODE_UNKNOWN,
     "mlx5_0",
     false,
     false},
    {"worst NIC: 4 beats 0",
     TOP NIC0 ZERO NIC1 MODES("4", "4"),
     NULL,
     {SYS0, SYS1},
     false,
     "mode_not_zero",
     4,
     "mlx5_1",
     true,
     false},
    {"worst NIC: unknown beats 0",
     TOP NIC0 ZERO NIC1,
     NULL,
     {SYS0, SYS1},
     false,
     "mode_unknown",
     MODE_UNKNOWN,
     "mlx5_1",
     false,
     false},
    {"worst NIC: 4 beats unknown",
     TOP NIC0 MODES("4", "4") NIC1,
     NULL,
     {SYS0, SYS1},
     false,
     "mode_not_zero",
     4,
     "mlx5_0",
     true,
     false},
    {"mode 4 on a NIC that may not be used",
     TOP NIC0 ZERO NIC1 MODES("4", "4"),
     "^mlx5_1",
     {SYS0, SYS1},
     false,
     NULL,
     0,
     "mlx5_0",
     true,
     false},
    {"NIC without device counts",
     TOP NIC0 ZERO "[nic b]\n" MODES("4", "4"),
     "mlx5_0",
     {SYS0},
     false,
     "mode_not_zero",
     4,
     NULL,
     true,
     false},
    {"NIC without device is not known to be mlx5",
     TOP NIC0 ZERO "[nic b]\n" ZERO,
     NULL,
     {SYS0},
     false,
     "nic_not_mlx5",
     0,
     "mlx5_0",
     false,
     false},
    {"NIC without device, driver known",
     TOP NIC0 ZERO "[nic b]\ndriver = mlx5_core\n" ZERO,
     NULL,
     {SYS0},
     false,
     NULL,
     0,
     "mlx5_0",
     false,
     false},
    {"NIC of another driver",
     TOP NIC("a", "bnxt_re0") ZERO,
     NULL,
     {{"bnxt_re0", GUID "\n", "28.43.2026\n", "bnxt_en"}},
     false,
     "nic_not_mlx5",
     0,
     "bnxt_re0",
     false,
     false},
    {"NIC of another driver, sysfs not there",
     TOP NIC("a", "efa_0") ZERO,
     NULL,
     {{0}},
     false,
     "nic_not_mlx5",
     0,
     "efa_0",
     false,
     false},
    {"renamed NIC, driver by sysfs",
     TOP NIC("a", "ibp1s0") ZERO,
     NULL,
     {{"ibp1s0", GUID "\n", NULL, "mlx5_core"}},
     false,
     NULL,
     0,
     "ibp1s0",
     false,
     false},
    {"renamed NIC, driver by the facts",
     TOP NIC("a", "ibp1s0") "driver = mlx5_core\n" ZERO,
     NULL,
     {{0}},
     false,
     NULL,
     0,
     "ibp1s0",
     false,
     false},
    {"name of mlx5, driver of another",
     TOP NIC0 ZERO,
     NULL,
     {{"mlx5_0", GUID "\n", NULL, "irdma"}},
     false,
     "nic_not_mlx5",
     0,
     "mlx5_0",
     false,
     false},
    {"bond with one function",
     TOP NIC("a", "mlx5_bond_0") ZERO,
     NULL,
     {{0}},
     false,
     "bond_incomplete",
     0,
     "mlx5_bond_0",
     false,
     false},
    {"bond with both functions",
     TOP NIC("a", "mlx5_bond_0") ZERO NIC("b", "mlx5_bond_0") ZERO,
     NULL,
     {{0}},
     false,
     NULL,
     0,
     "mlx5_bond_0",
     false,
     false},
    {"bond, second function in mode 4",
     TOP NIC("a", "mlx5_bond_0") ZERO NIC("b", "mlx5_bond_0") MODES("0", "4"),
     NULL,
     {{0}},
     false,
     "mode_not_zero",
     4,
     "mlx5_bond_0",
     true,
     false},
    {"force_relax",
     TOP NIC0 ZERO "pci-wr-ordering = force_relax\n",
     NULL,
     {SYS0},
     false,
     NULL,
     0,
     "mlx5_0",
     false,
     true},
    {"force_relax of a NIC that may not be used",
     TOP NIC0 ZERO NIC1 "pci-wr-ordering = force_relax\n",
     "=mlx5_0",
     {SYS0, SYS1},
     false,
     NULL,
     0,
     "mlx5_0",
     false,
     false},
};

static void test_modes(void **state) {
  const struct modes_row *row = *state;
  setup();
  for (int i = 0; i < 2 && row->sysfs[i].device; i++)
    sysfs_write(&row->sysfs[i]);
  struct facts *facts = read_facts(row->text);
  facts->trusted |= geteuid() != 0;
  struct host_modes modes = facts_modes(facts, row->ib_hca, row->plugin, root);
  if (row->unproved && modes.unproved)
    assert_string_equal(modes.unproved, row->unproved);
  else
    assert_ptr_equal(modes.unproved, row->unproved);
  assert_int_equal(modes.mode, row->mode);
  if (row->source && modes.source)
    assert_string_equal(modes.source, row->source);
  else
    assert_ptr_equal(modes.source, row->source);
  assert_int_equal(modes.contradicts, row->contradicts);
  assert_int_equal(modes.force_relax, row->force_relax);
  facts_free(facts);
  folder_remove(root);
}

static const struct case_row {
  const char *name;
  void (*test)(void **state);
} case_rows[] = {
    {"none", test_none},
    {"missing", test_missing},
    {"stale, no boot id in the system", test_no_boot_id},
    {"every key's value", test_content},
    {"trusted", test_trust},
};

static void test_case(void **state) { ((const struct case_row *)*state)->test(NULL); }

int main(void) {
  static struct suite suite;
  ROWS(&suite, status_rows, test_status);
  ROWS(&suite, case_rows, test_case);
  ROWS(&suite, modes_rows, test_modes);
  return suite_run("facts", &suite);
}

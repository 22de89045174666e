/* NCCL_IB_HCA, against what NCCL's parseStringList and matchIfList (src/misc/utils.cc) make of it. */
#include "policy/facts.h"
#include "tests/policy/rows.h"

static const struct row {
  const char *name, *ib_hca, *device;
  bool allows;
} rows[] = {
    {"not set", NULL, "mlx5_0", true},
    {"empty", "", "mlx5_0", true},
    {"prefix", "mlx5", "mlx5_0", true},
    {"whole name", "mlx5_0", "mlx5_0", true},
    {"prefix of a longer number", "mlx5_1", "mlx5_10", true},
    {"documented: all cards that begin so", "mlx5", "mlx5_10", true},
    {"documented: all cards that begin so, others", "mlx5", "rocep1s0f0", false},
    {"documented: ports of two cards", "=mlx5_0:1,mlx5_1:1", "mlx5_1", true},
    {"documented: ports of two cards, others", "=mlx5_0:1,mlx5_1:1", "mlx5_10", false},
    {"documented: cards excluded, first", "^=mlx5_1,mlx5_4", "mlx5_1", false},
    {"documented: cards excluded, second", "^=mlx5_1,mlx5_4", "mlx5_4", false},
    {"documented: cards excluded, others", "^=mlx5_1,mlx5_4", "mlx5_40", true},
    {"documented: port, rail and plane of two cards", "=mlx5_0:1:0:0,mlx5_1:1:0:1", "mlx5_1", true},
    {"documented: port, rail and plane, others", "=mlx5_0:1:0:0,mlx5_1:1:0:1", "mlx5_2", false},
    {"documented: rail and plane, all ports", "=mlx5_0::0:0,mlx5_1::0:1", "mlx5_0", true},
    {"documented: rail and plane, all ports, others", "=mlx5_0::0:0,mlx5_1::0:1", "mlx5_11", false},
    {"documented: rail and plane, excluded", "^=mlx5_0::0:0", "mlx5_0", false},
    {"documented: mlx5_1 takes mlx5_19", "mlx5_1", "mlx5_19", true},
    {"a field too many is not read", "=mlx5_0:1:0:0:7", "mlx5_0", true},
    {"kernel names", "rocep,roceP2p", "roceP2p1s0f0", true},
    {"bond, whole name", "=mlx5_bond_0", "mlx5_bond_0", true},
    {"case counts", "=MLX5_0", "mlx5_0", false},
    {"other name", "mlx5_1", "mlx5_0", false},
    {"name longer than the device", "mlx5_01", "mlx5_0", false},
    {"list, first", "mlx5_0,mlx5_1", "mlx5_0", true},
    {"list, last", "mlx5_0,mlx5_1", "mlx5_1", true},
    {"list, none", "mlx5_0,mlx5_1", "mlx5_2", false},
    {"empty entries are skipped", ",,mlx5_0,", "mlx5_1", false},
    {"only empty entries allow all", ",", "mlx5_1", true},
    {"entry without a name is skipped", ":1", "mlx5_1", true},
    {"port", "mlx5_0:1", "mlx5_0", true},
    {"port, other device", "mlx5_0:1", "mlx5_1", false},
    {"port, rail and plane", "mlx5_0:1:0:2", "mlx5_0", true},
    {"blank is part of the name", "mlx5_0, mlx5_1", "mlx5_1", false},
    {"exact", "=mlx5_1", "mlx5_1", true},
    {"exact, longer number", "=mlx5_1", "mlx5_10", false},
    {"exact, list", "=mlx5_0,mlx5_1", "mlx5_1", true},
    {"exact, prefix only", "=mlx5", "mlx5_0", false},
    {"exact with port", "=mlx5_1:1", "mlx5_1", true},
    {"exact, empty list", "=", "mlx5_0", true},
    {"excluded", "^mlx5_0", "mlx5_0", false},
    {"excluded by prefix", "^mlx5_1", "mlx5_10", false},
    {"not excluded", "^mlx5_1", "mlx5_0", true},
    {"excluded list", "^mlx5_0,mlx5_1", "mlx5_1", false},
    {"excluded, exact", "^=mlx5_1", "mlx5_1", false},
    {"excluded, exact, longer number", "^=mlx5_1", "mlx5_10", true},
    {"= before ^ is part of the name", "=^mlx5_1", "mlx5_1", false},
    {"second ^ is part of the name", "^^mlx5_1", "mlx5_1", true},
    {"^ inside the list is part of the name", "mlx5_0,^mlx5_1", "mlx5_1", false},
    {"excluded, empty list: nothing is left", "^", "mlx5_0", false},
    {"one port excluded: the other may be used", "^mlx5_0:1", "mlx5_0", true},
    {"no port behind the colon: all excluded", "^mlx5_0:", "mlx5_0", false},
    {"no port, but a rail: all excluded", "^mlx5_0::1", "mlx5_0", false},
    {"port -1: all excluded", "^mlx5_0:-1", "mlx5_0", false},
    {"port -01 is -1 to atoi: all excluded", "^mlx5_0:-01", "mlx5_0", false},
    {"port -0 is a port", "^mlx5_0:-0", "mlx5_0", true},
    {"blank port is port 0", "^mlx5_0: ", "mlx5_0", true},
    {"port -10 is a port", "^mlx5_0:-10", "mlx5_0", true},
    {"one port and then the device excluded", "^mlx5_0:1,mlx5_0", "mlx5_0", false},
    {"name beyond 63 bytes is cut", "mlx5_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaXYZ",
     "mlx5_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", true},
    {"32 entries count", "=a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,A,B,C,D,E,mlx5_0", "mlx5_0", true},
    {"the 33rd does not", "=a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,A,B,C,D,E,F,mlx5_0", "mlx5_0", false},
};

static void test_row(void **state) {
  const struct row *row = *state;
  assert_int_equal(ib_hca_allows(row->ib_hca, row->device), row->allows);
}

int main(void) {
  static struct suite suite;
  ROWS(&suite, rows, test_row);
  return suite_run("NCCL_IB_HCA", &suite);
}

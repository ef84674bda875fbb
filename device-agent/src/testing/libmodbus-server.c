/* A Modbus machine of libmodbus, for tests: `tcp PORT` or `rtu DEVICE`. It shows what pymodbus-server.py shows. Bytes are
   put into their order here: modbus_set_float_abcd and its sisters mean other orders in 3.1.6 than in later versions. */
#include <modbus.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put32(uint16_t *at, uint32_t value, const char *order) {
    uint8_t bytes[4];
    for (int i = 0; i < 4; i++) bytes[i] = (uint8_t)(value >> (24 - 8 * (order[i] - 'A')));
    at[0] = (uint16_t)(bytes[0] << 8 | bytes[1]);
    at[1] = (uint16_t)(bytes[2] << 8 | bytes[3]);
}

static const char *const orders[] = {"ABCD", "CDAB", "BADC", "DCBA"};

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    int tcp = strcmp(argv[1], "tcp") == 0;
    modbus_t *ctx = tcp ? modbus_new_tcp("127.0.0.1", atoi(argv[2])) : modbus_new_rtu(argv[2], 19200, 'N', 8, 1);
    modbus_mapping_t *first = modbus_mapping_new_start_address(10, 3, 20, 3, 0, 48, 0, 2);
    modbus_mapping_t *second = modbus_mapping_new(0, 0, 1, 0);
    if (!ctx || !first || !second) return 1;

    const uint16_t plain[] = {54321, (uint16_t)-321, 0x1234, 0x8005, 2153, 4118, 32767, 9999};
    memcpy(first->tab_registers, plain, sizeof plain);
    const float value = 215.3125f;
    uint32_t bits_of_float;
    memcpy(&bits_of_float, &value, sizeof bits_of_float);
    for (int block = 0; block < 4; block++) {
        uint16_t *at = first->tab_registers + 16 + 8 * block;
        put32(at, bits_of_float, orders[block]);
        put32(at + 2, (uint32_t)-123456, orders[block]);
        put32(at + 4, 305419896u, orders[block]);
        put32(at + 6, 0x12345678u, orders[block]);
    }
    first->tab_input_registers[0] = 777;
    first->tab_input_registers[1] = 0xffff;
    first->tab_bits[0] = first->tab_bits[2] = 1;
    first->tab_input_bits[1] = first->tab_input_bits[2] = 1;
    second->tab_registers[0] = 4242;

    modbus_set_slave(ctx, 1);
    int listening = -1;
    if (tcp) listening = modbus_tcp_listen(ctx, 1);
    else if (modbus_connect(ctx) == -1) return 1;
    uint8_t query[MODBUS_TCP_MAX_ADU_LENGTH];
    for (;;) {
        if (tcp && modbus_tcp_accept(ctx, &listening) == -1) return 1;
        for (;;) {
            int length = modbus_receive(ctx, query);
            if (length == -1 && tcp) break;
            if (length <= 0) continue;
            int unit = query[modbus_get_header_length(ctx) - 1];
            modbus_reply(ctx, query, length, tcp && unit == 2 ? second : first);
        }
        modbus_close(ctx);
    }
}

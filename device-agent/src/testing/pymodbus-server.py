"""A Modbus machine of pymodbus, for tests: `tcp PORT`, `rtu-over-tcp PORT`, `rtu DEVICE` or `ascii DEVICE`.

Its values are encoded by Python's struct. Places between those that are set are refused with exception 2.
"""
import struct
import sys

from pymodbus.datastore import ModbusServerContext, ModbusSlaveContext, ModbusSparseDataBlock
from pymodbus.server import StartSerialServer, StartTcpServer
from pymodbus.transaction import ModbusAsciiFramer, ModbusRtuFramer, ModbusSocketFramer


def words(kind, value, order):
    """Two registers whose four bytes arrive in this order."""
    big_endian = struct.pack(">" + kind, value)
    return struct.unpack(">HH", bytes(big_endian["ABCD".index(letter)] for letter in order))


# Unsigned, signed, BCD, bits 0, 2 and 15, tenths of a degree Celsius, of Fahrenheit, "no probe", nonsense.
holding = dict(enumerate([54321, -321 & 0xFFFF, 0x1234, 0b1000_0000_0000_0101, 2153, 4118, 32767, 9999]))
for block, order in enumerate(["ABCD", "CDAB", "BADC", "DCBA"]):
    at = 16 + 8 * block
    for offset, kind, value in [(0, "f", 215.3125), (2, "i", -123456), (4, "I", 305419896), (6, "I", 0x12345678)]:
        holding[at + offset], holding[at + offset + 1] = words(kind, value, order)

first = ModbusSlaveContext(
    hr=ModbusSparseDataBlock(holding),
    ir=ModbusSparseDataBlock({0: 777, 1: 0xFFFF}),
    co=ModbusSparseDataBlock({10: 1, 11: 0, 12: 1}),
    di=ModbusSparseDataBlock({20: 0, 21: 1, 22: 1}),
    zero_mode=True,
)
second = ModbusSlaveContext(hr=ModbusSparseDataBlock({0: 4242}), zero_mode=True)
context = ModbusServerContext(slaves={1: first, 2: second}, single=False)

link, where = sys.argv[1:]
if link in ("tcp", "rtu-over-tcp"):
    framer = ModbusSocketFramer if link == "tcp" else ModbusRtuFramer
    StartTcpServer(context=context, framer=framer, address=("127.0.0.1", int(where)))
else:
    framer = ModbusRtuFramer if link == "rtu" else ModbusAsciiFramer
    StartSerialServer(context=context, framer=framer, port=where, baudrate=19200, timeout=0.005)

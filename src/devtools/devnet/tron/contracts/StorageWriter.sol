// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Uses as much energy as it is told: each slot that it writes costs more than 20,000.
contract StorageWriter {
    uint256 public written;
    mapping(uint256 => uint256) public slots;

    function write(uint256 count) external {
        for (uint256 i = 0; i < count; i++) {
            slots[written + i] = 1;
        }
        written += count;
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SweepDelegate} from "./SweepDelegate.sol";

/// Sweeps many deposit addresses in one transaction. It holds nothing and is trusted by nobody: whose transaction it is
/// decides the delegate alone.
contract SweepBatch {
    /// One balance to sweep: of a token, or of the chain's own coin for address zero.
    struct Item {
        address payable deposit;
        address token;
    }

    /// The code hash of an address that delegates to our delegate.
    bytes32 public immutable delegated;

    /// There was too little gas for this item and all behind it: none of them was tried.
    event StoppedAt(uint256 item);

    constructor(SweepDelegate delegate) {
        delegated = keccak256(abi.encodePacked(hex"ef0100", delegate));
    }

    /// Sweeps what can be swept and passes over the rest, so that one frozen address holds up nobody else. Each item gets
    /// at most `itemGas`: a token that burns all it is given burns no more than its share.
    function sweep(Item[] calldata items, uint256 itemGas) external {
        for (uint256 i = 0; i < items.length; ++i) {
            // Without its full share an item fails for want of gas, and with much less the whole transaction does. A call
            // gets 63 of 64 parts at most; what is kept besides pays for this loop and the event.
            if (gasleft() < itemGas + itemGas / 32 + 10_000) {
                emit StoppedAt(i);
                return;
            }
            Item calldata item = items[i];
            // A call to an address without code succeeds, and one with other code does something else: neither is made.
            if (item.deposit.codehash != delegated) continue;
            // `catch` without a parameter copies no answer, however long it is.
            try SweepDelegate(item.deposit).sweep{gas: itemGas}(item.token) {} catch {}
        }
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Pays out TRX that it was given, so that they arrive by an internal transaction.
contract PayoutBox {
    receive() external payable {}

    function pay(address payable to, uint256 amount) external {
        (bool isPaid,) = to.call{value: amount}("");
        require(isPaid, "the box is empty");
    }
}

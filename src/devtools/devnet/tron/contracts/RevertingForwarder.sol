// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface Token {
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

/// Forwards and then takes everything back: the calls are in the transaction, and nothing has moved.
contract RevertingForwarder {
    function forward(address payable to) external payable {
        (bool isForwarded,) = to.call{value: msg.value}("");
        require(isForwarded, "not forwarded");
        revert("forwarded and taken back");
    }

    function forwardToken(address token, address to, uint256 value) external {
        Token(token).transferFrom(msg.sender, to, value);
        revert("forwarded and taken back");
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// The code that deposit addresses delegate to (EIP-7702): it can do nothing but send all they hold to the treasury.
///
/// Only in a transaction of the treasury, which is a plain account: strangers who swept an address would do no harm to its
/// coins, but the books would go on expecting them there. Who calls within it decides nothing, so there is no other
/// owner, no signature and no storage to get wrong. A token that calls back in the middle of its transfer finds no state
/// to disturb: all it can do is sweep more, to the same treasury. What such a token does with its own balances is between
/// it and whoever listed it; it cannot touch another token or the coin.
///
/// A plain address takes coins whatever data comes with them; `receive` and `fallback` keep it so, for less than the
/// 2,300 gas of a bare transfer. Hooks of ERC-721, ERC-1155 and ERC-777 are left out on purpose: such tokens are not
/// listed, and "safe" transfers of them revert at the sender instead of arriving where nobody looks.
contract SweepDelegate {
    using SafeERC20 for IERC20;

    /// Where everything goes. A new treasury is a new contract, and deposit addresses delegate anew.
    address public immutable treasury;

    /// Coins leave no Transfer log, so their sweep writes one of its own; its address is the deposit address.
    event CoinSwept(uint256 value);

    error NoTreasury();
    error NotTheTreasury();
    error CoinRefused();

    constructor(address treasury_) {
        if (treasury_ == address(0)) revert NoTreasury();
        treasury = treasury_;
    }

    receive() external payable {}

    fallback() external payable {}

    /// Sends the whole balance of `token`, or of the chain's own coin for address zero. Nothing there: nothing happens.
    /// Reverts when the token refuses: it reverts, returns false, or is no contract (whose balance cannot be decoded).
    /// Reverts in anybody else's transaction, too.
    function sweep(address token) external {
        if (tx.origin != treasury) revert NotTheTreasury();
        if (token == address(0)) _sweepCoin();
        else _sweepToken(IERC20(token));
    }

    function _sweepCoin() private {
        uint256 value = address(this).balance;
        if (value == 0) return;
        (bool isSent, ) = treasury.call{value: value}("");
        if (!isSent) revert CoinRefused();
        emit CoinSwept(value);
    }

    function _sweepToken(IERC20 token) private {
        uint256 value = token.balanceOf(address(this));
        // Returning nothing is a yes too, as USDT on ethereum does; `safeTransfer` knows.
        if (value > 0) token.safeTransfer(treasury, value);
    }
}

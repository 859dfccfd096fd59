// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;
pragma abicoder v1;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// USDC for the tron development chain: worthless. The owner can block accounts, which then neither send nor receive, and
/// pause all transfers. The creator owns it and the whole supply.
contract TronUsdCoin is ERC20 {
    address public immutable owner;
    bool public paused;
    mapping(address => bool) public isBlacklisted;

    event Blacklisted(address indexed account);
    event UnBlacklisted(address indexed account);

    modifier onlyOwner() {
        require(msg.sender == owner, "caller is not the owner");
        _;
    }

    constructor() ERC20("USD Coin (test)", "USDC") {
        owner = msg.sender;
        _mint(msg.sender, 10 ** 16);
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function blacklist(address account) external onlyOwner {
        isBlacklisted[account] = true;
        emit Blacklisted(account);
    }

    function unBlacklist(address account) external onlyOwner {
        isBlacklisted[account] = false;
        emit UnBlacklisted(account);
    }

    function setPaused(bool isPaused) external onlyOwner {
        paused = isPaused;
    }

    function _update(address from, address to, uint256 value) internal override {
        require(!paused, "Pausable: paused");
        require(!isBlacklisted[from] && !isBlacklisted[to], "Blacklistable: account is blacklisted");
        super._update(from, to, value);
    }
}

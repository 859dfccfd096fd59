// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;
pragma abicoder v1;

interface UpgradedToken {
    function transferByLegacy(address from, address to, uint256 value) external returns (bool);
    function balanceOf(address holder) external view returns (uint256);
}

/// USDT for the tron development chain: worthless, with the oddities of Tether's contract on tron. `transfer` and
/// `transferFrom` return false when they succeed; the owner can block senders, take a fee of every transfer, and deprecate
/// the contract in favour of another one. The creator owns it and the whole supply.
contract TronTether {
    string public constant name = "Tether USD (test)";
    string public constant symbol = "USDT";
    uint8 public constant decimals = 6;
    address public immutable owner;
    uint256 public totalSupply = 10 ** 16;
    uint256 public basisPointsRate;
    uint256 public maximumFee;
    bool public deprecated;
    address public upgradedAddress;
    mapping(address => bool) public isBlackListed;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => uint256) private balances;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed holder, address indexed spender, uint256 value);
    event AddedBlackList(address indexed user);
    event RemovedBlackList(address indexed user);
    event Params(uint256 feeBasisPoints, uint256 maxFee);
    event Deprecate(address newAddress);

    modifier onlyOwner() {
        require(msg.sender == owner);
        _;
    }

    constructor() {
        owner = msg.sender;
        balances[msg.sender] = totalSupply;
        emit Transfer(address(0), msg.sender, totalSupply);
    }

    function balanceOf(address holder) external view returns (uint256) {
        return deprecated ? UpgradedToken(upgradedAddress).balanceOf(holder) : balances[holder];
    }

    function transfer(address to, uint256 value) external returns (bool) {
        require(!isBlackListed[msg.sender]);
        if (deprecated) return UpgradedToken(upgradedAddress).transferByLegacy(msg.sender, to, value);
        _moveWithFee(msg.sender, to, value);
        return false;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        require(!isBlackListed[from]);
        allowance[from][msg.sender] -= value;
        _moveWithFee(from, to, value);
        return false;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        require(value == 0 || allowance[msg.sender][spender] == 0);
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function getBlackListStatus(address user) external view returns (bool) {
        return isBlackListed[user];
    }

    function addBlackList(address user) external onlyOwner {
        isBlackListed[user] = true;
        emit AddedBlackList(user);
    }

    function removeBlackList(address user) external onlyOwner {
        isBlackListed[user] = false;
        emit RemovedBlackList(user);
    }

    /// The fee is below 0.2 % and below 50 USDT.
    function setParams(uint256 basisPoints, uint256 maxFee) external onlyOwner {
        require(basisPoints < 20 && maxFee < 50);
        basisPointsRate = basisPoints;
        maximumFee = maxFee * 10 ** decimals;
        emit Params(basisPointsRate, maximumFee);
    }

    function deprecate(address upgraded) external onlyOwner {
        deprecated = true;
        upgradedAddress = upgraded;
        emit Deprecate(upgraded);
    }

    function _moveWithFee(address from, address to, uint256 value) private {
        uint256 fee = value * basisPointsRate / 10_000;
        if (fee > maximumFee) fee = maximumFee;
        _move(from, to, value - fee);
        if (fee > 0) _move(from, owner, fee);
    }

    function _move(address from, address to, uint256 value) private {
        require(to != address(0));
        balances[from] -= value;
        balances[to] += value;
        emit Transfer(from, to, value);
    }
}

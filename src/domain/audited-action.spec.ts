import { actionText, AUDITED_ACTIONS } from './audited-action.js';

describe('the actions of the audit log in words', () => {
  it.each(Object.entries(AUDITED_ACTIONS))('%s reads as "%s"', (action, text) => {
    expect(actionText(action)).toBe(text);
    expect(text).toMatch(/^[A-Z].*[a-z-]$/);
    expect(text).not.toMatch(/[._]/);
  });

  it('says something different for each action', () => {
    const texts = Object.values(AUDITED_ACTIONS);
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('shows an action that this version does not know as it is recorded', () => {
    expect(actionText('deposit.forget')).toBe('deposit.forget');
  });
});

import { VERDICT_CODES } from '../../src/explain/verdict/intent-verdict-finding.js';
import { headingsOf, readDocument, sectionOf } from '../support/markdown.js';

const document = readDocument('docs/explain.md');

describe('docs/explain.md', () => {
  it('has one section for each code of a verdict, in the order of importance', () => {
    expect(headingsOf(document, 2)).toEqual(VERDICT_CODES);
  });

  it.each(VERDICT_CODES)('explains %s, and the next step', (code) => {
    expect(sectionOf(document, code)).toMatch(/^\n[A-Z][^]+\.\n\n\*\*What to do\.\*\* [A-Z]/);
  });
});

import { aDeposit } from '../support/factories.js';
import { confirmAsListed, listExactly } from '../support/listed-senders.js';
import { describeInChromium } from './chromium.js';
import { MAILS } from './mail-examples.js';
import { describeMails, type MailPlace, openMailPlace } from './mail-readings.js';

let place: MailPlace;
beforeAll(async () => {
  place = await openMailPlace();
});
afterAll(() => place.stop());

interface Finding {
  readonly sentence: string;
}

describe('a pasted mail about', () => {
  it.each(MAILS)('%s lands where it is explained, with what can be done', async (_what, _ending, mailOf) => {
    const { text, lands, says, offers } = await mailOf(place.scene);
    const { body: found } = await place.kim.get(`/sandbox/search?${new URLSearchParams({ q: text }).toString()}`);
    if (lands === null) {
      expect(found['sentence']).toMatch(says);
      return;
    }
    const { page, id } = found['hits'][0].opens;
    expect([found['hits'].length, `${page} ${id}`]).toEqual([1, lands]);
    const { body: shown } = await place.kim.get(`/sandbox/${page}s/${id}`);
    const sentences: string[] =
      page === 'intent' ? shown['explanation'].findings.map(({ sentence }: Finding) => sentence) : [shown['sentence']];
    const index = sentences.findIndex((sentence) => says.test(sentence));
    expect({ sentences, index }).toMatchObject({ index: expect.any(Number) });
    expect(sentences[index]).toMatch(says);
    if (offers !== undefined) expect(shown['actions'][index].kind).toBe(offers);
  });
});

// One of each page where a mail lands. The others, and by mouse: `mails.soak-spec.ts`.
const A_MAIL_OF_EACH_PAGE = ['an unknown id', 'USDT instead of USDC', 'a withdrawal that waits'];
describeMails(
  'keyboard',
  () => place,
  MAILS.filter(([what]) => A_MAIL_OF_EACH_PAGE.includes(what)),
);

describeInChromium('a note that is not sent yet', () => {
  it('stays with the intent that it was written for, also where the pages follow each other directly', async () => {
    const { site, scene, kim } = place;
    const [first, second] = [await scene.intent(), await scene.intent()];
    await site.flow(
      async (page) => {
        const shows = async ({ id }: typeof first): Promise<void> => {
          await page.getByRole('heading', { level: 1, name: id }).waitFor();
          await page.getByText('No notes yet.').waitFor();
        };
        await page.goto(`/admin/sandbox/intents/${first.id}`);
        await shows(first);
        await page.getByRole('searchbox').fill(second.id);
        await page.getByRole('searchbox').press('Enter');
        await shows(second);
        const field = page.getByLabel('New note');
        await field.fill('About the second.');
        await page.goBack();
        await shows(first);
        expect(await field.inputValue()).toBe('');
        await page.goForward();
        await shows(second);
        expect(await field.inputValue()).toBe('About the second.');
      },
      { as: kim },
    );
  });
});

describeInChromium('how to pay an intent', () => {
  it('is shown with what is missing while a payment counts, and no longer once one is on hold', async () => {
    const { site, scene, kim } = place;
    const intent = await scene.intent({ status: 'processing' });
    await aDeposit(site.database, intent, { amount: 10_000_000n, status: 'confirmed' });
    await site.flow(
      async (page) => {
        await page.goto(`/admin/sandbox/intents/${intent.id}`);
        await page.getByText('Send exactly 15 USDC on polygon.').waitFor();
        // The link would ask for the whole amount.
        expect(await page.getByText('Payment link').count()).toBe(0);
        const deposit = await aDeposit(site.database, intent, { amount: 15_000_000n });
        const [listing = ''] = await listExactly(site.database, `0x${'5e'.repeat(20)}`);
        await confirmAsListed(site.database, deposit, listing);
        await page.locator('[data-code="payment_on_hold"]').waitFor();
        expect(await page.getByText('Send exactly').count()).toBe(0);
      },
      { as: kim },
    );
  });
});

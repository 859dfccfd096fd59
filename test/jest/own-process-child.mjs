import { runFile } from './run-file.mjs';

process.once('message', async (file) => {
  const answer = await runFile(file).then(
    (result) => ({ result }),
    (error) => ({ error }),
  );
  process.send(answer, () => process.exit());
});

import { runFile } from './run-file.mjs';

process.once('message', (file) => {
  const answer = runFile(file).then(
    (result) => ({ result }),
    (error) => ({ error }),
  );
  void answer.then((message) => process.send(message, () => process.exit()));
});

/**
 * Loaded before each test file: one that hangs fails, so that the run ends (and, with --again, the file gets its second
 * turn). The longest takes less than half of this on a busy machine.
 */
const MOST_MS = 180_000;

if (process.env.NODE_TEST_CONTEXT !== undefined) {
  setTimeout(() => {
    console.error(`Not done after ${MOST_MS / 1000} s: ${process.argv[1]}`);
    process.exit(1);
  }, MOST_MS).unref();
}

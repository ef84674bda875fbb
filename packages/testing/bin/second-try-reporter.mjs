/** Vitest reporter: names the tests that passed only at their second try, and what went wrong at the first. */
export default class SecondTryReporter {
  /** @type {string[]} */
  #found = [];

  onTestCaseResult(test) {
    if (!test.diagnostic()?.flaky) return;
    const first = test.result().errors?.[0]?.message ?? 'no error was kept';
    this.#found.push(`  ${test.module.relativeModuleId} > ${test.fullName}\n    ${first.split('\n')[0]}`);
  }

  onTestRunEnd() {
    if (this.#found.length > 0) console.log(`\nPassed at the second try only:\n${this.#found.join('\n')}`);
  }
}

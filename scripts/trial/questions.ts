/**
 * Questions about `examples/shop`. The instructions were improved with every second one in view, the first among them;
 * the others were held back, and say whether what was gained holds for questions that nobody looked at.
 */
const questions: readonly string[] = [
  'Where is the total of a cart computed?',
  'Which coupons does the shop know?',
  'How is shipping priced?',
  'What does the README say about tests?',
  'Where are prices rounded?',
  'Which file holds the catalogue?',
  'How is an order checked before it is placed?',
  'Which currency is used?',
  'How long does a session last?',
  'Who sends the mail after an order?',
  'Where is a password checked?',
  'Which settings have to be set in production?',
  'What happens when the stock runs out?',
  'Which states can an order have?',
  'How is a discount applied?',
  'Which port does the server listen on?',
  'Where are the products listed?',
  'How is a payment refused?',
  'What is tested about the checkout?',
  'Which errors can a customer see?',
  'Where is a customer stored?',
  'How many items may a cart hold?',
  'Which routes does the server have?',
  'What do the house rules say about money?',
];

export const questionAt = (index: number): string => questions[index % questions.length] ?? '';

export const isHeldBack = (question: string): boolean => questions.indexOf(question) % 2 === 1;

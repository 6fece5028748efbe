import unittest

from slug import slugify


class SlugifyTest(unittest.TestCase):
    def test_words_are_joined(self):
        self.assertEqual(slugify("Hello World"), "hello-world")

    def test_digits_are_kept(self):
        self.assertEqual(slugify("Top 10 Tips"), "top-10-tips")

    def test_apostrophes_vanish(self):
        self.assertEqual(slugify("Don't panic"), "dont-panic")


if __name__ == "__main__":
    unittest.main()

# docs: tests
from django.test import TestCase

from shop.models import Part


class Tests(TestCase):
    def test_part(self):
        self.assertEqual(Part.objects.create(item="test").pk, 1)
# docs: end

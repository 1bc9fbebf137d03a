import os

# docs: models
from django.db import models

from shop.fields import IdgenField


class Legacy(models.Model):
    item = models.TextField()

    class Meta:
        db_table = "legacy"


class Part(models.Model):
    id = IdgenField(sequence="parts", primary_key=True)
    item = models.TextField()

    class Meta:
        db_table = "parts"
# docs: end


if os.environ.get("WITH_NOTE"):
    models.TextField(null=True).contribute_to_class(Legacy, "note")

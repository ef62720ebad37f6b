"""E-mails about failed jobs."""
import smtplib
from email.message import EmailMessage


def send_failure(recipient, job, reason):
    message = EmailMessage()
    message["Subject"] = f"Job {job} failed"
    message["To"] = recipient
    message.set_content(f"The job failed for good: {reason}. It will not be tried again.")
    with smtplib.SMTP("localhost") as connection:
        connection.send_message(message)
